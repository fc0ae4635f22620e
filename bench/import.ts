import { writeZip, type ZipFile } from '../src/lib/zip/write'
import { type Effort, type Figure, median, percentile, type Row, spread } from './figures'
import { KEY, NOTE } from './requests'
import { reportOf, type Server, startSatchel } from './server'

/** Seconds that the import may take, and milliseconds that others may wait meanwhile. */
const SECONDS = 10
const OTHERS_P99 = 100
/** Milliseconds between two requests of the other caller. */
const PAUSE = 5

/** An archive of Markdown notes imported into an empty workspace, while another connection asks for its usage. */
export const importRow: Row = {
  name: 'POST /api/notes/import of 10000 Markdown notes, another connection asking for GET /api/usage',
  target: `< ${SECONDS} s, the other's p99 < ${OTHERS_P99} ms`,
  measure,
}

async function measure({ quick, rounds }: Effort): Promise<Figure> {
  const notes = quick ? 200 : 10_000
  const archive = await importOf(notes, linkedNote(notes))
  const seconds: number[] = []
  const waits: number[] = []
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const satchel = await startSatchel()
    try {
      seconds.push(await imported(satchel, archive, notes, waits))
    } finally {
      await satchel.stop()
    }
  }
  return figure(seconds, waits)
}

function figure(seconds: readonly number[], waits: readonly number[]): Figure {
  const p99 = percentile(waits, 0.99)
  return {
    measured: `${spread(seconds, 's', 1)}, p99 ${p99.toFixed(0)} ms`,
    reached: median(seconds) < SECONDS && p99 < OTHERS_P99,
  }
}

/** Seconds until the import is answered; what the other caller waited, in milliseconds, goes into `waits`. */
async function imported(satchel: Server, archive: Blob, notes: number, waits: number[]): Promise<number> {
  const url = `http://127.0.0.1:${satchel.port}/api`
  let isOver = false
  const other = async () => {
    while (!isOver) {
      const asked = performance.now()
      await (await fetch(`${url}/usage`, { headers: { 'X-API-Key': KEY } })).arrayBuffer()
      waits.push(performance.now() - asked)
      await Bun.sleep(PAUSE)
    }
  }
  const started = performance.now()
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/zip' }
  const asking = other()
  const answer = await fetch(`${url}/notes/import`, { method: 'POST', headers, body: archive })
  const report = await reportOf(satchel, KEY, answer)
  const elapsed = (performance.now() - started) / 1000
  isOver = true
  await asking
  if (report.totals?.created !== notes) throw new Error(`the import answered ${answer.status}`)
  return elapsed
}

/** An archive of so many Markdown files. */
export async function importOf(notes: number, note: (at: number) => { name: string; text: string }): Promise<Blob> {
  async function* files(): AsyncGenerator<ZipFile> {
    for (let at = 0; at < notes; at++) {
      const { name, text } = note(at)
      yield { name, content: Buffer.from(text) }
    }
  }
  return new Blob(await Array.fromAsync(writeZip(files())))
}

/** Notes of 1 KiB with a link each, in folders of 500. */
export const linkedNote = (notes: number) => (at: number) => ({
  name: `Folder ${Math.floor(at / 500)}/Note ${at}.md`,
  text: `# Day ${at}\n\nSee [[Note ${(at * 7919) % notes}]] of #week${at % 52}.\n\n${NOTE.body.repeat(8)}`,
})
