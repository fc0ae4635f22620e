/**
 * Load from a process of its own: `bun bench/load.ts '<JSON of Load>'` prints the JSON of a Result. Each connection
 * sends its next request when the answer to the one before has arrived, over plain TCP. Of an answer only the head is
 * read, its body is counted: so little of what is measured is the client.
 */

import { percentile } from './figures'

export interface Load {
  readonly port: number
  /** The whole request: head, blank line, body. */
  readonly request: string
  readonly connections: number
  readonly seconds: number
}

export interface Result {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds that half of the answers took at most. */
  readonly p50: number
  /** Milliseconds that all but one of a hundred answers took at most. */
  readonly p99: number
  /** Seconds of the processor that this client took. */
  readonly processor: number
  /** How many answers had which status. */
  readonly statuses: Record<string, number>
}

export async function run({ port, request, connections, seconds }: Load): Promise<Result> {
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  const bytes = Buffer.from(request)
  const began = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(Array.from({ length: connections }, () => connection(port, bytes, end, { statuses, latencies })))
  const elapsed = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(began)
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
  return { answers, perSecond: answers / elapsed, p50, p99, processor: (user + system) / 1e6, statuses }
}

/** One connection, until `end`. Rejects if the server closes it in between. */
function connection(
  port: number,
  request: Buffer,
  end: number,
  { statuses, latencies }: { statuses: Record<string, number>; latencies: number[] },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let head = ''
  /** Bytes that are still to come of the answer whose head has arrived; null until then. */
  let missing: number | null = null
  let sentAt = 0
  const send = (socket: { write(bytes: Buffer): unknown }) => {
    sentAt = performance.now()
    socket.write(request)
  }
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: send,
      data(socket, chunk) {
        if (missing === null) {
          head += chunk.toString('latin1')
          const length = answerLength(head)
          if (length === null) return
          missing = length - head.length
        } else missing -= chunk.length
        if (missing > 0) return
        const status = head.slice(9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        head = ''
        missing = null
        const now = performance.now()
        latencies.push(now - sentAt)
        if (now < end) send(socket)
        else {
          resolve()
          socket.end()
        }
      },
      close: () => reject(new Error('the server closed a connection')),
      error: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise
}

/** Bytes of the answer, or null while its head has not arrived. */
function answerLength(text: string): number | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))
  if (!length) throw new Error('an answer without Content-Length')
  return end + 4 + Number(length[1])
}

if (import.meta.main) process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}'))))
