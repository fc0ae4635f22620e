/** The floor: a bare Bun.serve that answers every request with the bytes given as its argument. */
const body = process.argv[2] ?? ''
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(body, { headers: { 'Content-Type': 'application/json' } }),
})
process.stdout.write(`${JSON.stringify({ url: String(server.url) })}\n`)
