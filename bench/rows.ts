import { type Server, startPeer, startSatchel } from './server'

/** One figure to reach: Satchel against a peer, both under the same load. */
export interface Row {
  readonly name: string
  /** Satchel's requests per second must be at least this many times the peer's. */
  readonly target: number
  readonly connections: number
  readonly satchel: Side
  readonly peer: Side
}

export interface Side {
  start(): Promise<Server>
  /** The request that is sent, whole. */
  request(server: Server): string
}

const KEY = 'satchel_Qm7vX2pLr9TzK4wNc8HyB3sJd6FgA13finxh'

function get(path: string) {
  return ({ port }: Server) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${KEY}\r\n\r\n`
}

export const ROWS: readonly Row[] = [
  {
    name: 'GET /api/usage against a bare Bun.serve that answers the same bytes',
    target: 0.65,
    connections: 32,
    satchel: { start: startSatchel, request: get('/api/usage') },
    peer: { start: async () => startPeer('bare.ts', await usageAnswer()), request: get('/api/usage') },
  },
]

/** What GET /api/usage answers, so that the peer sends as many bytes. */
async function usageAnswer(): Promise<string> {
  const satchel = await startSatchel()
  try {
    const answer = await fetch(`http://127.0.0.1:${satchel.port}/api/usage`, { headers: { 'X-API-Key': KEY } })
    if (answer.status !== 200) throw new Error(`GET /api/usage answered ${answer.status}`)
    return await answer.text()
  } finally {
    await satchel.stop()
  }
}
