/** GET /api/notes against what others build such a server of. The peers are in peers/, their packages in package.json. */
import { Database as Sqlite } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Queries, WorkspaceId } from '../src/db/database'
import { readFilter } from '../src/notes/filters'
import { listNotes } from '../src/notes/store'
import { against } from './against'
import { NotMeasured, type Row } from './figures'
import { get, KEY } from './requests'
import { makeFolder, removeFolder, SATCHEL, type Server, type Start, start, withNotes } from './server'

const FOLDER = join(import.meta.dir, 'peers')
const NOTES = 20
const PATH = '/api/notes'

/** The data that all sides have a copy of. */
interface Data {
  readonly folder: string
  /** The answer of Satchel that every peer must give too, to the byte. */
  readonly answer: string
  readonly workspace: WorkspaceId
}

/** A program that runs a peer, and what it reads SQLite with. */
interface Runtime {
  readonly program: string
  readonly driver: 'better-sqlite3' | 'node:sqlite' | 'bun:sqlite'
  readonly about: string
}

const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

const data = once(async (): Promise<Data> => {
  const folder = makeFolder()
  process.once('exit', () => removeFolder(folder))
  const server = await withNotes(start({ ...SATCHEL, settings: { ...SATCHEL.settings, DATA_DIR: folder } }), NOTES)
  const answer = await answerOf(server)
  await server.stop()
  const db = new Sqlite(join(folder, 'satchel.db'), { readonly: true })
  const workspace = db.query<{ workspace: WorkspaceId }, []>('SELECT workspace FROM notes').get()?.workspace
  db.close()
  if (!workspace) throw new Error('Satchel stored no note')
  return { folder, answer, workspace }
})

async function answerOf({ port }: Server): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { 'X-API-Key': KEY } })
  if (answer.status !== 200) throw new Error(`GET ${PATH} answered ${answer.status}`)
  return answer.text()
}

/** Installs what bench/bun.lock names; better-sqlite3 is compiled for Node, with Node's own headers where it has them. */
const install = once(async () => {
  const prefix = join(dirname(Bun.which('node') ?? '/'), '..')
  const hasHeaders = existsSync(join(prefix, 'include/node/node_api.h'))
  const command = [process.execPath, 'install', '--frozen-lockfile']
  const child = Bun.spawn(command, {
    cwd: import.meta.dir,
    env: { ...process.env, ...(hasHeaders ? { npm_config_nodedir: prefix } : {}) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0)
    throw new NotMeasured(`the peers cannot be installed: ${said.trim().split('\n').at(-1) ?? ''}`)
})

/** Node, as users of Express and Fastify run them, with the SQLite that is to be had on it. */
const node = once(async (): Promise<Runtime> => {
  const program = Bun.which('node')
  if (!program) throw new NotMeasured('there is no node on PATH')
  const works = async (script: string) => {
    const command = [program, '--input-type=module', '--eval', script]
    return (await Bun.spawn(command, { cwd: FOLDER, stdout: 'ignore', stderr: 'ignore' }).exited) === 0
  }
  const version = (await new Response(Bun.spawn([program, '--version']).stdout).text()).trim()
  const runtime = (driver: Runtime['driver']) => ({ program, driver, about: `${driver} on Node ${version.slice(1)}` })
  if (await works("new (await import('better-sqlite3')).default(':memory:')")) return runtime('better-sqlite3')
  if (await works("await import('node:sqlite')")) return runtime('node:sqlite')
  throw new NotMeasured(`better-sqlite3 could not be built, and Node ${version.slice(1)} has no node:sqlite`)
})

const bun = async (): Promise<Runtime> => ({
  program: process.execPath,
  driver: 'bun:sqlite',
  about: `bun:sqlite on Bun ${Bun.version}`,
})

/** Satchel's function that makes a note's summary of a row, as a module that Node can load. */
const toSummary = once(async () => {
  const entry = join(import.meta.dir, '../src/notes/note.ts')
  const outdir = (await data()).folder
  await Bun.build({ entrypoints: [entry], target: 'node', outdir, naming: 'note.mjs' })
  return join(outdir, 'note.mjs')
})

/** The statement of a list of 50 notes, as Satchel's store writes it. */
async function statement(workspace: WorkspaceId): Promise<{ sql: string; values: unknown }> {
  const { promise, resolve } = Promise.withResolvers<{ sql: string; values: unknown }>()
  const db = {
    async all(sql: string, values: unknown) {
      resolve({ sql, values })
      return []
    },
  } as unknown as Queries
  await listNotes(
    { db, workspace: { id: workspace } },
    { filter: readFilter({}), sort: '-updated', after: null, limit: 51 },
  )
  return promise
}

/** Starts one side on a copy of the data, and sees that it answers as all do. */
async function startOnNotes(how: Start): Promise<Server> {
  const { folder, answer } = await data()
  const server = await start({ ...how, data: folder })
  if ((await answerOf(server)) === answer) return server
  await server.stop()
  throw new Error(`${how.command.join(' ')} answers something else than Satchel does`)
}

async function startPeer(script: string, on: () => Promise<Runtime>): Promise<Server> {
  await install()
  const { program, driver, about } = await on()
  const { workspace } = await data()
  const given = { driver, toSummary: await toSummary(), ...(await statement(workspace)) }
  const command = [program, join(FOLDER, script), JSON.stringify(given)]
  return startOnNotes({ command, settings: { NODE_ENV: 'production' }, about })
}

function row(packages: string, script: string, on: () => Promise<Runtime>, target: number): Row {
  return against({
    name: `GET ${PATH}, ${NOTES} notes with excerpts, against the same of ${packages}`,
    target,
    connections: 32,
    satchel: { start: () => startOnNotes(SATCHEL), request: get(PATH) },
    peer: { start: () => startPeer(script, on), request: get(PATH) },
  })
}

export const peerRows: readonly Row[] = [
  row('Express and express-rate-limit', 'express.js', node, 4),
  row('Fastify and @fastify/rate-limit', 'fastify.js', node, 2),
  row('Elysia and elysia-rate-limit', 'elysia.js', bun, 1),
]
