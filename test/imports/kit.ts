import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Elysia } from 'elysia'
import { type Database, ownersOf, type Session, type Workspace, type WorkspaceId } from '../../src/db/database'
import { createLocalPlaces, type LimitedPlaces } from '../../src/db/places'
import { apiBasics, createMethods, requestPlugin } from '../../src/http/api'
import { ApiError } from '../../src/http/api-error'
import { Deadline } from '../../src/http/request'
import { createFindOutcome, createRunOnce, createStoreOutcome, send } from '../../src/http/responses'
import type { ImportKind, Line } from '../../src/imports/kind'
import type { ImportOrder } from '../../src/imports/receive-import'
import { importRoutes } from '../../src/imports/routes'
import { createImports } from '../../src/imports/service'
import type { Timer } from '../../src/lib/steps'
import { createImportedRow } from '../../src/notes/import/imported-rows'
import { createNoteWriter } from '../../src/notes/note'
import { findNoteBySource, getNote } from '../../src/notes/store'
import { createListeners, type News } from '../../src/workspace/processes'
import { createWorkspaces } from '../../src/workspace/service'
import { openMigrated } from '../support/database'
import type { LineValue } from './lines'
import { endless } from './timers'

/** The kit of imports with a kind of its own, whose items become notes, on a real database and a real socket. */

export interface KitOptions {
  readonly folder: string
  readonly timer?: Timer
  readonly limits?: { readonly key: number; readonly scratch: number; readonly items: number }
  readonly quota?: { readonly resources: number; readonly size_bytes: number }
  /** Milliseconds that never go back. */
  readonly ticks?: () => number
  /** Called before a pass looks at its items. */
  readonly atStep?: (items: number) => void | Promise<void>
  readonly diskIsFull?: () => boolean
  /** Those of another kit, as with Redis. */
  readonly places?: LimitedPlaces
}

const LARGE = { resources: 1e9, size_bytes: 1e12 }
const LIMITS = { key: 64 * 1024 * 1024, scratch: 1024 * 1024, items: 100_000 }
const ORDER: ImportOrder = {
  kind: 'lines',
  types: ['application/x-ndjson'],
  form: true,
  params: (type) => ({ type }),
  dryRun: false,
}

export type Kit = Awaited<ReturnType<typeof makeKit>>

export async function makeKit({
  folder,
  timer = endless,
  limits = LIMITS,
  quota = LARGE,
  ticks = () => performance.now(),
  atStep = () => {},
  diskIsFull = () => false,
  places = createLocalPlaces(),
}: KitOptions) {
  mkdirSync(folder, { recursive: true })
  const now = () => Date.now()
  const ids = () => Bun.randomUUIDv7()
  const db = await openMigrated(join(folder, 'satchel.db'), now(), () => 'print')
  const listeners = createListeners()
  const logged: { fields: object; message: string }[] = []
  const log = {
    info: () => {},
    warn: () => {},
    error: (fields: object, message: string) => void logged.push({ fields, message }),
  }
  const workspaces = createWorkspaces({ db, now, quotas: { key: quota, scratch: quota }, diskIsFull, listeners })
  const root = join(folder, 'imports')
  const imports = createImports({
    db,
    root,
    now,
    ids,
    places,
    ticks,
    timer,
    log,
    limits,
    findOutcome: createFindOutcome({ now }),
    storeOutcome: createStoreOutcome({ now, reserve: workspaces.reserveOutcome }),
    refuseOnFullDisk: workspaces.refuseOnFullDisk,
    report: (workspace, news) => listeners.sendNews(workspace, { event: 'import', id: news.id, data: news }),
  })
  imports.register(notesOfLines(createNoteWriter({ now, record: workspaces.record, hooks: [] }), now, ids, atStep))
  const session = (request: Request): Session => {
    const network = request.headers.get('x-network')
    const workspace = workspaceOf(request)
    const owned = db.ownedBy(...ownersOf(workspace))
    return { workspace, db: owned, ...(network === null ? {} : { network: idOf(network) }) }
  }
  const runOnce = createRunOnce({ now, reserve: workspaces.reserveOutcome })
  const api = requestPlugin({ sessionOf: session, runOnce, requestIdOf: () => 'request' })
  const methods = createMethods()
  const app = new Elysia({ handler: { standardHostname: false }, serve: { idleTimeout: 30 } })
    .use(
      apiBasics({
        log,
        requestId: () => 'request',
        methods,
        filePaths: ['/api/lines', '/api/lines/dry'],
        curlPaths: [],
      }),
    )
    .post('/api/lines', async ({ request, set, server }) => {
      server?.timeout(request, 0)
      return send(set, await imports.receive(request, session(request), ORDER))
    })
    .post('/api/lines/dry', async ({ request, set, server }) => {
      server?.timeout(request, 0)
      return send(set, await imports.receive(request, session(request), { ...ORDER, dryRun: true }))
    })
    .use(importRoutes({ imports, api }))
  methods.answerOthers(app)
  return {
    app,
    db,
    imports,
    listeners,
    logged,
    folder,
    root,
    /** The base address on a real socket. */
    listen(): string {
      app.listen({ hostname: '127.0.0.1', port: 0 })
      return String(app.server?.url).slice(0, -1)
    },
    call,
    /** Sends lines as a file. */
    send: (lines: readonly object[], options: CallOptions = {}) =>
      call('POST', options.path ?? '/api/lines', { ...options, body: fileOf(lines) }),
    news(workspace: string): News[] {
      const told: News[] = []
      listeners.listen(idOf(workspace), (news) => void (news && told.push(news)))
      return told
    },
    async close() {
      await imports.stop()
      await app.server?.stop(true)
      await db.close()
    },
  }

  async function call(method: string, path: string, options: CallOptions & { body?: BodyInit } = {}) {
    const { workspace = 'a', headers = {}, body, address, network } = options
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/x-ndjson' }),
        'X-Workspace': workspace,
        ...(address === undefined ? {} : { 'X-Address': address }),
        ...(network === undefined ? {} : { 'X-Network': network }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    // As the gate does; what follows the arrival of the file has no limit here.
    new Deadline(request, timer, true)
    const response = await app.handle(request)
    // What comes over a socket next comes in another turn of the event loop.
    await setImmediate()
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
    return { status: response.status, headers: response.headers, body: (text === '' ? null : JSON.parse(text)) as any }
  }
}

export interface CallOptions {
  readonly workspace?: string
  readonly address?: string
  /** Of a caller with a key; see Session. */
  readonly network?: string
  readonly headers?: Record<string, string>
  readonly path?: string
}

export const fileOf = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

export const idOf = (name: string) => Bun.hash(name).toString(16).padEnd(32, '0') as WorkspaceId

/** A body that comes as the test says. */
export function slowBody() {
  let put: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      put = controller
    },
    cancel() {
      put = undefined
    },
  })
  return { body, send: (text: string) => put?.enqueue(new TextEncoder().encode(text)), end: () => put?.close() }
}

/** Some notes, each a line; `from` numbers the first. */
export function notes(count: number, from = 0, body = 'text'): LineValue[] {
  return Array.from({ length: count }, (_, i) => ({ key: `k${from + i}`, body: `${body} ${from + i}` }))
}

/** All that a workspace holds, but for ids and instants, which each import makes anew. */
export async function contentOf(db: Pick<Database, 'all' | 'get'>, workspace = 'a') {
  const rows = await db.all(
    `SELECT source_id, title, body, revision, size_bytes FROM notes JOIN note_bodies ON note_bodies.key = notes.key
     WHERE notes.workspace = $1 ORDER BY source_id`,
    [idOf(workspace)],
  )
  const totals = await db.get('SELECT seq, resources, size_bytes FROM workspaces WHERE id = $1', [idOf(workspace)])
  return { rows, totals }
}

function workspaceOf(request: Request): Workspace {
  const id = idOf(request.headers.get('x-workspace') ?? '')
  const address = request.headers.get('x-address')
  return address === null ? { id, kind: 'key' } : { id, kind: 'scratch', address: idOf(address) }
}

function notesOfLines(
  writer: ReturnType<typeof createNoteWriter>,
  now: () => number,
  ids: () => string,
  atStep: NonNullable<KitOptions['atStep']>,
): ImportKind<{ type: string }, LineValue> {
  const plain = {
    title: null,
    folder: null,
    tags: [],
    pinned: null,
    archived: null,
    properties: {},
    front_matter: '',
    daily_date: null,
  }
  const instants = { created_at: null, updated_at: null }
  return {
    name: 'lines',
    reader: new URL('./lines-reader.ts', import.meta.url),
    passes: [
      async ({ session, bytes, hasMet }, items) => {
        await atStep(items.length)
        const lines: Line[] = []
        for (const { seq, value } of items) {
          const source = { system: 'test', id: value.key }
          if (value.boom === 'error') throw new Error('boom')
          if (value.boom) throw new ApiError(value.boom as 'conflict', `refused: ${value.boom}`)
          if (new TextDecoder().decode(bytes(seq)?.read(0, value.key.length + 1)) !== value.key)
            throw new Error('the bytes are others')
          const id = await findNoteBySource(session, source.system, source.id)
          const old = id && (await getNote(session, id))
          if (old) {
            const warnings =
              hasMet(old.id) || lines.some(({ id }) => id === old.id)
                ? [{ code: 'duplicate', detail: 'The file has it twice.' }]
                : []
            lines.push({ action: 'unchanged', id: old.id, source, warnings })
            continue
          }
          const draft = { ...plain, ...instants, body: value.body }
          const row = createImportedRow({ id: null, source, draft, warnings: [] }, ids(), now())
          const note = await session.db.transaction((db) => writer.insert({ ...session, db }, row))
          lines.push({ action: 'created', id: note.id, source, counts: { word: note.word_count } })
        }
        return lines
      },
      async ({ lineOfKey }, items) =>
        items.map(({ value }) => {
          if (value.of === undefined) return null
          const there = lineOfKey(value.of)
          const warning = { code: there ? 'found' : 'missing', detail: there?.action ?? '' }
          return { action: 'unchanged', id: null, warnings: [warning] }
        }),
    ],
  }
}
