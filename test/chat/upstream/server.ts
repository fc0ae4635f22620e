import { createServer, type Socket } from 'node:net'

/** A request as the server saw it. */
export interface Seen {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

export interface Body {
  readonly messages: readonly { role: string; content: string; tool_calls?: unknown[]; tool_call_id?: string }[]
  readonly tools?: readonly { function: { name: string; parameters: unknown } }[]
  readonly [name: string]: unknown
}

/** What the server does with one request. */
export interface Reply {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Each a chunk of its own. */
  readonly chunks?: readonly (string | Uint8Array)[]
  /** What comes after them: the end, a connection that breaks once the client has said something, or silence. Default the end. */
  readonly after?: 'end' | 'break' | 'silence'
  /** Nothing is sent at all, not even a status. */
  readonly silent?: boolean
}

/** A real HTTP server on a free port of loopback that plays one reply for each request, in their order. */
export async function play(...replies: Reply[]) {
  const seen: Seen[] = []
  const closed = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const said = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    let answered = false
    sockets.add(socket)
    // A client that hangs up is what some tests are about: how is of no interest.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => closed.resolve())
    socket.on('data', (data) => {
      received = Buffer.concat([received, Buffer.from(data)])
      const request = answered ? null : parse(received)
      if (!request) return
      answered = true
      seen.push(request)
      answer(socket, replies[seen.length - 1] ?? { status: 599, chunks: ['no reply is left'] }, said.promise)
      asked.resolve()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    /** The first request has come and its reply is written. */
    asked: asked.promise,
    /** The client has said something: it has read what was sent. */
    said: said.resolve,
    heard: said.promise,
    /** A connection has been closed. */
    closed: closed.promise,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Null until the whole of it has come. */
function parse(bytes: Buffer): Seen | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const body = bytes.subarray(end + 4)
  if (body.length < length) return null
  return { path: first.split(' ')[1] ?? '', headers, body: JSON.parse(body.toString()) as Body }
}

function answer(socket: Socket, reply: Reply, said: Promise<void>): void {
  const { status = 200, type, headers = {}, chunks = [], after = 'end', silent } = reply
  if (silent) return
  const lines = Object.entries({ ...(type === undefined ? {} : { 'Content-Type': type }), ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${status} Played\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n${head}\r\n`)
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
  }
  if (after === 'end') socket.end('0\r\n\r\n')
  if (after === 'break') said.then(() => socket.end())
}
