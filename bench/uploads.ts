/** What a caller with a key waits for an import while others, without one, send files slowly. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeKey } from '../test/support/keys'
import { type Effort, type Figure, median, percentile, type Row } from './figures'
import { importOf, linkedNote } from './import'
import { SATCHEL, type Server, start } from './server'

const UPLOADS = 20
/** Each sends so many bytes, so many times a second: 20 KB/s. */
const PIECE = { bytes: 2000, times: 10 }
/** Milliseconds until a sender that was refused comes again. */
const AGAIN_MS = 1000
const NOTES = 200
const ROUNDS = 9
/** Imports of each round and kind. */
const EACH = 5
/** Times that an import may take of what it takes alone: the median, and the 99th percentile. */
const TIMES = { median: 1.2, p99: 2 }

/** Who sends slowly. */
interface Crowd {
  /** As a proxy tells it. */
  readonly addressOf: (n: number) => string
  /** How many of the files arrive at the same time. */
  readonly arriving: number
}

const CROWDS: Readonly<Record<string, Crowd>> = {
  'from as many addresses': { addressOf: (n) => `198.51.100.${n + 1}`, arriving: UPLOADS },
  'from one address': { addressOf: () => '198.51.100.1', arriving: 1 },
}

export const uploadsRow: Row = {
  name: `An import of ${NOTES} notes with a key beside ${UPLOADS} uploads at 20 KB/s without one`,
  target: `≤ ${TIMES.median} × alone, its p99 ≤ ${TIMES.p99} ×`,
  measure,
}

async function measure({ quick }: Effort): Promise<Figure> {
  const settings = { ...SATCHEL.settings, TRUSTED_PROXIES: '127.0.0.1', NEW_KEYS_PER_DAY: '0' }
  const server = await start({ ...SATCHEL, settings })
  try {
    const archive = await importOf(NOTES, linkedNote(NOTES))
    const times: Record<string, number[]> = {}
    let key = 1
    const some = async (name: string) => {
      for (let n = 0; n < (quick ? 1 : EACH); n++)
        times[name] = [...(times[name] ?? []), await imported(server, makeKey(key++), archive)]
    }
    // The first import of a server is slower than all others.
    await imported(server, makeKey(key++), archive)
    for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
      await some('alone')
      for (const [name, crowd] of Object.entries(CROWDS)) {
        const { leave } = await uploading(server, crowd)
        await some(name)
        await leave()
      }
    }
    return figure(times)
  } finally {
    await server.stop()
  }
}

function figure({ alone = [], ...beside }: Record<string, number[]>): Figure {
  const p99 = (times: readonly number[]) => percentile(times, 0.99)
  const shown = (times: readonly number[]) => `${median(times).toFixed(0)} ms (p99 ${p99(times).toFixed(0)})`
  const ratio = (times: readonly number[]) => (median(times) / median(alone)).toFixed(2)
  const parts = Object.entries(beside).map(([name, times]) => `${name} ${shown(times)}, ${ratio(times)} ×`)
  return {
    measured: [`alone ${shown(alone)}`, ...parts].join('; '),
    reached: Object.values(beside).every(
      (times) => median(times) <= TIMES.median * median(alone) && p99(times) <= TIMES.p99 * p99(alone),
    ),
  }
}

/** Milliseconds that the import takes until its report is here. */
async function imported({ port }: Server, key: string, body: Blob): Promise<number> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/zip', 'X-Forwarded-For': '203.0.113.1' }
  const began = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/api/notes/import`, { method: 'POST', headers, body })
  const report = (await answer.json()) as { totals?: { created: number } }
  if (report.totals?.created !== NOTES) throw new Error(`the import answered ${answer.status}`)
  return performance.now() - began
}

/** Files that come slowly, each sent anew when it is refused, until `leave`; once `arriving` of them are on their way. */
async function uploading(
  { port, folder }: Server,
  { addressOf, arriving }: Crowd,
): Promise<{ leave(): Promise<void> }> {
  const gone = new AbortController()
  const { signal } = gone
  const sending = async (address: string): Promise<void> => {
    while (!signal.aborted) {
      const headers = { 'Content-Type': 'application/zip', 'X-Forwarded-For': address }
      const init = { method: 'POST', headers, body: slowly(), signal }
      await fetch(`http://127.0.0.1:${port}/api/notes/import`, init).catch(() => {})
      await Bun.sleep(AGAIN_MS)
    }
  }
  const root = join(folder, 'imports')
  const here = () => readdirSync(root).filter((run) => existsSync(join(root, run, 'file'))).length
  for (let n = 0; n < UPLOADS; n++) void sending(addressOf(n))
  while (here() < arriving) await Bun.sleep(10)
  return {
    async leave() {
      gone.abort()
      while (here() > 0) await Bun.sleep(10)
    },
  }
}

/** Bytes that come slowly, and never end. */
function slowly(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(new Uint8Array(PIECE.bytes))
      await Bun.sleep(1000 / PIECE.times)
    },
  })
}
