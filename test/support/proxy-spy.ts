/** A proxy that must not be asked: it counts who connects, and answers nobody. */
export function startSpy(): { readonly url: string; readonly connections: number } & Disposable {
  let connections = 0
  const listener = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      open(socket) {
        connections++
        socket.end()
      },
      data() {},
    },
  })
  return {
    url: `http://127.0.0.1:${listener.port}`,
    get connections() {
      return connections
    },
    [Symbol.dispose]: () => listener.stop(true),
  }
}
