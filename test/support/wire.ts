/** Requests over a real socket: as they should be, and as no client library would send them. */

export interface Exchange {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends exactly these bytes, which must ask for `Connection: close`, and reads until the server closes.
 * @param later parts that are sent after them
 */
export async function sendBytes(
  base: string,
  bytes: string | Uint8Array,
  ...later: readonly Promise<string>[]
): Promise<Exchange> {
  const { hostname, port } = new URL(base)
  const chunks: Uint8Array[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, chunk) => void chunks.push(new Uint8Array(chunk)),
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  })
  socket.write(bytes)
  for (const part of later) socket.write(await part)
  await promise
  return parse(Buffer.concat(chunks).toString('latin1'))
}

/** One line of request and its headers, with `Connection: close`. */
export function requestText(line: string, headers: readonly string[]): string {
  return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`
}

function parse(answer: string): Exchange {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Headers()
  for (const field of fields) {
    const [name = '', ...value] = field.split(':')
    headers.append(name, value.join(':').trim())
  }
  return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}

let addresses = 0

/** An address that no other caller has; give it in X-Forwarded-For to a server that trusts its peer. */
export function freshAddress(): string {
  const n = ++addresses
  return `198.18.${n >> 8}.${n & 255}`
}
