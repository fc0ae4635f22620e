/** How long Satchel takes from the start of its process to its first answer. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { buildExecutable } from '../build/executable'
import { openDatabase } from '../src/db/open'
import { createNoteRow } from '../src/notes/note'
import { insertNote } from '../src/notes/store'
import { WORKSPACE } from './corpus'
import { type Effort, type Figure, median, type Row, spread } from './figures'
import { processorSeconds, residentMiB } from './proc'
import { NOTE } from './requests'
import { freePort, makeFolder, removeFolder, SATCHEL, start } from './server'

const STARTS = 15
const REST_SECONDS = 5
const BODY = NOTE.body.repeat(Math.ceil(4096 / NOTE.body.length)).slice(0, 4096)
const NOTES_PER_COMMIT = 4096
/** What Bun itself takes: the least that a server on it can do. */
const BARE = "Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('{}') })"

/** A way to start Satchel, and its command once it can be run. */
interface Way {
  readonly name: string
  command(): Promise<readonly string[]>
}

const SOURCE: Way = { name: '`bun src/main.ts`', command: async () => SATCHEL.command }
const EXECUTABLE: Way = {
  name: 'the executable',
  async command() {
    executable ??= build()
    return [await executable, 'serve']
  },
}
let executable: Promise<string> | undefined

/** What `bun run build` makes, in a folder of its own. */
async function build(): Promise<string> {
  const folder = makeFolder()
  process.on('exit', () => removeFolder(folder))
  const file = join(folder, 'satchel')
  await buildExecutable(file)
  return file
}

/** What one start took, in milliseconds of the clock and of the processor. */
interface Started {
  readonly clock: number
  readonly processor: number
}

/** From the start of the process to its first answer of 200 to GET /api. */
async function started(command: readonly string[], folder: string): Promise<Started> {
  const port = freePort()
  const env = { ...process.env, PORT: String(port), DATA_DIR: folder }
  const began = performance.now()
  const child = Bun.spawn([...command], { env, stdout: 'ignore', stderr: 'inherit' })
  try {
    while (!(await answers(port)))
      if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}`)
    return { clock: performance.now() - began, processor: processorSeconds(child.pid) * 1000 }
  } finally {
    child.kill()
    await child.exited
  }
}

/** Whether the server answers yet. Refusing the connection is how one that is still starting says that it does not. */
async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/api`).catch(() => null)
  if (answer === null) await Bun.sleep(1)
  else await answer.arrayBuffer()
  return answer?.status === 200
}

async function measure(way: Way, starts: number, folder: () => string, limit: number): Promise<Figure> {
  const command = await way.command()
  const [satchel, bare]: [Started[], Started[]] = [[], []]
  for (let start = 0; start < starts; start++) {
    satchel.push(await started(command, folder()))
    bare.push(await started([process.execPath, '-e', BARE], ''))
  }
  const of = (all: readonly Started[], kind: keyof Started) => all.map((one) => one[kind])
  const clock = (all: readonly Started[]) => spread(of(all, 'clock'), 'ms')
  const processor = (all: readonly Started[]) => `${median(of(all, 'processor')).toFixed(0)} ms of processor`
  return {
    measured: `${clock(satchel)}, ${processor(satchel)}; a bare Bun.serve takes ${clock(bare)}, ${processor(bare)}`,
    reached: median(of(satchel, 'clock')) < limit,
  }
}

/** The first start there is: the database is made on the way. */
const emptyRow = (way: Way): Row => ({
  name: `From the start of ${way.name} to its first answer, on an empty folder`,
  target: '< 150 ms',
  async measure({ quick }: Effort) {
    const folders: string[] = []
    const fresh = () => {
      const folder = makeFolder()
      folders.push(folder)
      return folder
    }
    try {
      return await measure(way, quick ? 1 : STARTS, fresh, 150)
    } finally {
      for (const folder of folders) removeFolder(folder)
    }
  },
})

const fullRow = (way: Way): Row => ({
  name: `From the start of ${way.name} to its first answer, on a full folder`,
  target: '< 300 ms',
  async measure({ quick }: Effort) {
    const folder = makeFolder()
    try {
      await started(SATCHEL.command, folder) // makes the folder's secret and its database
      const notes = quick ? 1024 : 2 ** 18
      const mib = await fill(join(folder, 'satchel.db'), notes)
      const figure = await measure(way, quick ? 1 : STARTS, () => folder, 300)
      return { of: `${mib.toFixed(0)} MiB in ${notes} notes`, ...figure }
    } finally {
      removeFolder(folder)
    }
  },
})

/** Stores notes of 4 KiB as rows, past what follows from a note, which would take an hour. Returns the file's MiB. */
async function fill(path: string, notes: number): Promise<number> {
  const db = openDatabase(path, 0, (kept) => kept ?? '')
  const row = createNoteRow({ ...NOTE, body: BODY }, '', 0)
  for (let first = 0; first < notes; first += NOTES_PER_COMMIT)
    await db.transaction(async (tx) => {
      for (let n = first; n < Math.min(notes, first + NOTES_PER_COMMIT); n++)
        await insertNote(
          { db: tx, workspace: WORKSPACE },
          {
            ...row,
            id: `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
          },
        )
    })
  await db.close()
  return statSync(path).size / 2 ** 20
}

/** What a server holds before its first request: what is loaded when asked is not in it. */
const restingRow: Row = {
  name: `Resident memory of the executable ${REST_SECONDS} s after its start`,
  target: '< 75 MiB',
  async measure({ rounds }) {
    const command = await EXECUTABLE.command()
    const held: number[] = []
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      const server = await start({ command })
      await Bun.sleep(REST_SECONDS * 1000)
      held.push(residentMiB(server.pid))
      await server.stop()
    }
    return { measured: spread(held, 'MiB'), reached: median(held) < 75 }
  },
}

export const startRows: readonly Row[] = [
  ...[SOURCE, EXECUTABLE].flatMap((way) => [emptyRow(way), fullRow(way)]),
  restingRow,
]
