/**
 * Load from a process of its own: `bun bench/load.ts '<JSON of Load>'` prints the JSON of a Result. Each connection
 * sends its next request when the answer to the one before has arrived, over plain TCP, so that little of what is
 * measured is the client.
 */

export interface Load {
  readonly port: number
  /** The whole request: head, blank line, body. */
  readonly request: string
  readonly connections: number
  readonly seconds: number
}

export interface Result {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How many answers had which status. */
  readonly statuses: Record<string, number>
}

export async function run({ port, request, connections, seconds }: Load): Promise<Result> {
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  const bytes = Buffer.from(request)
  const end = performance.now() + seconds * 1000
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => connection(port, bytes, end, statuses, latencies)))
  const elapsed = (performance.now() - start) / 1000
  latencies.sort((a, b) => a - b)
  const percentile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { perSecond: latencies.length / elapsed, p50: percentile(0.5), p99: percentile(0.99), statuses }
}

/** One connection, until `end`. Rejects if the server closes it in between. */
function connection(
  port: number,
  request: Buffer,
  end: number,
  statuses: Record<string, number>,
  latencies: number[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let pending = ''
  let sentAt = 0
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        sentAt = performance.now()
        socket.write(request)
      },
      data(socket, chunk) {
        pending += chunk.toString('latin1')
        const length = answerLength(pending)
        if (length === null || pending.length < length) return
        const now = performance.now()
        latencies.push(now - sentAt)
        const status = pending.slice(9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        pending = pending.slice(length)
        if (now >= end) {
          resolve()
          socket.end()
          return
        }
        sentAt = now
        socket.write(request)
      },
      close: () => reject(new Error('the server closed a connection')),
      error: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise
}

/** Bytes of the first answer in the text, or null while its head has not arrived. */
function answerLength(text: string): number | null {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return null
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))
  if (!length) throw new Error('an answer without Content-Length')
  return head + 4 + Number(length[1])
}

if (import.meta.main) process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}'))))
