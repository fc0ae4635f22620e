/** Satchel against what an engineer builds such a server of in an hour. The peers are in peers/, their packages in package.json. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../src/openapi/json-schema'
import { against } from './against'
import { type Effort, NotMeasured, type Row } from './figures'
import { get, KEY, NOTE, post } from './requests'
import { addNotes, ask, makeNotes } from './search-server'
import { makeFolder, removeFolder, SATCHEL, type Server, start, withNotes } from './server'

const FOLDER = join(import.meta.dir, 'peers')
const NOTES = 10_000
/** Each note has one of so many tags. */
const TAGS = 100
/** Of the note that is read. */
const ID = '01900000-0000-7000-8000-000000000000'

/** What both are asked. */
interface Request {
  readonly name: string
  readonly path: string
  readonly body?: object
}

const REQUESTS: readonly Request[] = [
  { name: 'GET /api/notes, 20 of 10,000 notes,', path: '/api/notes?limit=20' },
  { name: 'GET /api/notes, 20 of 100 notes with a tag,', path: '/api/notes?limit=20&tag=topic7' },
  { name: 'GET a note,', path: `/api/notes/${ID}` },
  { name: 'POST a note,', path: '/api/notes', body: NOTE },
]

/** A program that runs a peer, and what it reads SQLite with. */
interface Runtime {
  readonly program: string
  readonly driver: string
  readonly about: string
}

interface Peer {
  readonly name: string
  readonly script: string
  readonly on: () => Promise<Runtime>
  /** The requests per second of Satchel that are wanted, as a multiple of the peer's. */
  readonly target: number
}

/** Installs what bench/bun.lock names; better-sqlite3 is compiled for Node, with Node's own headers where it has them. */
async function install(): Promise<void> {
  const prefix = join(dirname(Bun.which('node') ?? '/'), '..')
  const hasHeaders = existsSync(join(prefix, 'include/node/node_api.h'))
  const child = Bun.spawn([process.execPath, 'install', '--frozen-lockfile'], {
    cwd: import.meta.dir,
    env: { ...process.env, ...(hasHeaders ? { npm_config_nodedir: prefix } : {}) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0)
    throw new NotMeasured(`the peers cannot be installed: ${said.trim().split('\n').at(-1) ?? ''}`)
}

const bun = async (): Promise<Runtime> => ({
  program: process.execPath,
  driver: 'bun:sqlite',
  about: `bun:sqlite on Bun ${Bun.version}`,
})

/** Node, as users of Express and Fastify run them, with the SQLite that it has. */
async function node(): Promise<Runtime> {
  const program = Bun.which('node')
  if (!program) throw new NotMeasured('there is no node on PATH')
  const output = async (...options: string[]) =>
    (await new Response(Bun.spawn([program, ...options], { cwd: FOLDER, stderr: 'ignore' }).stdout).text()).trim()
  const version = (await output('--version')).slice(1)
  for (const driver of ['better-sqlite3', 'node:sqlite']) {
    const script = `const { default: Sqlite, DatabaseSync } = await import('${driver}')
      new (DatabaseSync ?? Sqlite)(':memory:'); console.log('works')`
    if ((await output('--input-type=module', '--eval', script)) === 'works')
      return { program, driver, about: `${driver} on Node ${version}` }
  }
  throw new NotMeasured(`better-sqlite3 could not be built, and Node ${version} has no node:sqlite`)
}

const PEERS: readonly Peer[] = [
  { name: 'Bun.serve', script: 'bun.js', on: bun, target: 0.75 },
  { name: 'Elysia', script: 'elysia.js', on: bun, target: 1 },
  { name: 'Hono', script: 'hono.js', on: bun, target: 1 },
  { name: 'Fastify', script: 'fastify.js', on: node, target: 2 },
  { name: 'Express', script: 'express.js', on: node, target: 4 },
]

/** Data folders with the same notes: Satchel's, and the peers'. Each server gets a copy. */
interface Data {
  readonly satchel: string
  readonly peers: string
  /** What the answers of both have in common, for each of REQUESTS. */
  readonly outlines: readonly string[]
}

let made: Promise<Data> | undefined

async function makeData({ quick }: Effort): Promise<Data> {
  await install()
  const [satchel, peers] = [makeFolder(), makeFolder()]
  process.once('exit', () => [satchel, peers].forEach(removeFolder))
  const starting = start({ ...SATCHEL, settings: { ...SATCHEL.settings, DATA_DIR: satchel } })
  const server = await withNotes(starting, [{ ...NOTE, id: ID }])
  const notes = makeNotes(quick ? NOTES / 50 : NOTES)
  await addNotes(
    server,
    notes.map((note, at) => ({ ...note, tags: [...note.tags, `topic${at % TAGS}`] })),
  )
  const outlines: string[] = []
  // From the last on, which adds a note.
  for (const request of REQUESTS.toReversed()) outlines.unshift(await outlineOf(server, request))
  const stored: unknown[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = JSON.parse(await ask(server, KEY, `/api/notes?include=body&limit=200${after && `&cursor=${after}`}`))
    stored.push(...page.items)
    after = page.next_cursor
  }
  await server.stop()
  const { createNotes } = await import(join(FOLDER, 'notes.js'))
  createNotes(new Database(join(peers, 'notes.db'))).fill(KEY, stored)
  return { satchel, peers, outlines }
}

/** The paths of all members of an answer, and the ids of a list. */
async function outlineOf(server: Server, { path, body }: Request): Promise<string> {
  const headers = { 'Content-Type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {}
  const visit = (value: unknown, path: string): string[] => {
    if (Array.isArray(value)) return [path, ...value.flatMap((one) => visit(one, `${path}[]`))]
    if (!isObject(value)) return [path === '.items[].id' ? `${path} ${value}` : path]
    return [path, ...Object.entries(value).flatMap(([name, one]) => visit(one, `${path}.${name}`))]
  }
  return [...new Set(visit(JSON.parse(await ask(server, KEY, path, init)), ''))].toSorted().join(', ')
}

function row(at: number, request: Request, { name, script, on, target }: Peer): Row {
  const { path, body } = request
  const text = body ? post(path, body) : get(path)
  const dataOf = (effort: Effort) => (made ??= makeData(effort))
  const startPeer = async (effort: Effort) => {
    const { peers, outlines } = await dataOf(effort)
    const { program, driver, about } = await on()
    const command = [program, join(FOLDER, script), driver]
    const server = await start({ command, settings: { NODE_ENV: 'production' }, data: peers, about })
    const outline = await outlineOf(server, request)
    if (outline === outlines[at]) return server
    await server.stop()
    throw new Error(`${name} answers ${outline}, Satchel ${outlines[at]}`)
  }
  return against({
    name: `${request.name} against ${name}`,
    target,
    connections: 32,
    satchel: { start: async (effort) => start({ ...SATCHEL, data: (await dataOf(effort)).satchel }), request: text },
    peer: { start: startPeer, request: text },
  })
}

export const peerRows: readonly Row[] = REQUESTS.flatMap((request, at) => PEERS.map((peer) => row(at, request, peer)))
