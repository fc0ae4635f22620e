import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { createApp } from '../../src/app'
import { loadSecret } from '../../src/cli/data-folder'
import { type Config, readConfig } from '../../src/config'
import { Meter } from '../../src/gate/counter'
import type { Timer } from '../../src/lib/steps'
import type { JsonObject } from '../../src/openapi/json-schema'
import { openPages, type Pages } from '../../src/system/pages'
import { endless } from '../imports/timers'
import { openMigrated } from './database'
import { type Answered, answerCheck } from './documented'
import { contentOf } from './duties'
import { makeFolder } from './folder'
import { raw } from './raw'

export { MANY_CALLERS, makeKey, stranger } from './keys'

/** What an answer shows, as far as tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
export type Shown = any

/** Who calls: with a key or without, from an address of the documentation ranges unless the test says otherwise. */
export interface As {
  readonly key?: string
  readonly address?: string
  /** The host that the request is addressed to, if not localhost. */
  readonly host?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Shown
}

export interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly folder?: string
  /** What the clock says at first, in milliseconds. */
  readonly start?: number
  /** Settings that no variable has, such as a time limit. */
  readonly adjust?: (config: Config) => Config
  /** The disk at first, in bytes; huge unless the test says otherwise. */
  readonly disk?: { readonly free: number; readonly size: number }
  /** Replaces setTimeout for the time limits of requests. */
  readonly timer?: Timer
  /** The clock of the statements of the database; without it none is slow. */
  readonly statementTicks?: () => number
}

/** Noon in some March: far from the edges of an hour. */
const START = Date.parse('2026-03-02T12:00:00.000Z')

const HUGE = { free: 2 ** 40, size: 2 ** 41 }

let document: Promise<JsonObject> | null = null

const loopDelay = monitorEventLoopDelay()

/** Read once in a process. */
let pages: Promise<Pages> | null = null

/** The document of the API, read once in a process: in a world of its own, so that no other one counts the request. */
function readDocument(): Promise<JsonObject> {
  document ??= makeWorld().then(async ({ app, close }) => {
    const response = await app.handle(new Request('http://localhost/openapi.json'))
    const read = await response.json()
    await close()
    return read
  })
  return document
}

/**
 * The whole app on a fresh database in a fresh folder: real SQLite, a clock that the test sets, ids that count up.
 * `call` goes through `app.handle`; `listen` gives a real socket. Either way each answer must be one that the document lists.
 */
export async function makeWorld({
  settings = {},
  folder = makeFolder(),
  start = START,
  disk = HUGE,
  adjust = (config) => config,
  timer = endless,
  statementTicks,
}: WorldOptions = {}) {
  const config = adjust(readConfig({ LOG_LEVEL: 'silent', PORT: '0', DATA_DIR: folder, ...settings }))
  const clock = { now: start }
  const space = { ...disk }
  const logged: { level: string; fields: object; message: string }[] = []
  const parts = await openParts(config, folder, clock, logged, statementTicks)
  pages ??= openPages(join(import.meta.dir, '../../public'))
  const addresses = new WeakMap<Request, string>()
  const answers = answerCheck(readDocument)
  let count = 0
  const { app, jobs, endStreams, close } = await createApp({
    ...parts,
    pages: await pages,
    requestLog: {
      info(fields, message) {
        parts.log.info(fields, message)
        answers.note(fields as Answered)
      },
    },
    droppedLines: () => 0,
    loopDelay,
    checkAnswers: true,
    config,
    timer,
    now: () => clock.now,
    ticks: () => clock.now,
    diskSpace: () => ({ ...space }),
    random: (bytes) => crypto.getRandomValues(bytes),
    ids: () => `01900000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`,
    peer: (request, server) => addresses.get(request) ?? server?.requestIP(request)?.address ?? null,
  })
  app.wrap((next) => async (request: Request) => {
    // Elysia types `next` as a handler of its context; it is the fetch function.
    const response = await (next as unknown as typeof app.fetch)(request)
    if (response.status >= 400) answers.noteBody(await readCopy(response))
    return response
  })

  async function call(
    as: As,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const request = new Request(`http://${as.host ?? 'localhost'}${path}`, {
      method,
      headers: {
        ...(as.key === undefined ? {} : { 'X-API-Key': as.key }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw(body) }),
    })
    addresses.set(request, as.address ?? '192.0.2.1')
    const response = await app.handle(request)
    // What comes over a socket next comes in another turn of the event loop.
    await setImmediate()
    const received = await content(response, path)
    await answers.check()
    return { status: response.status, headers: response.headers, body: received }
  }

  async function closeAll() {
    await app.server?.stop(true)
    await close()
    await parts.db.close()
    parts.meter.close()
    await answers.check()
  }

  return {
    app,
    call,
    clock,
    /** What the server finds of its disk; a look serves a second. */
    space,
    folder,
    logged,
    loopDelay,
    config,
    ...parts,
    /** The base address of the app on a real socket, with a slash at the end. */
    listen(): string {
      app.listen({ hostname: config.HOST, port: config.PORT })
      return String(app.server?.url)
    },
    jobs,
    endStreams,
    /** Rejects if something was answered that the document does not list. */
    checkAnswers: answers.check,
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  }
}

async function openParts(
  config: Config,
  folder: string,
  clock: { now: number },
  logged: { level: string; fields: object; message: string }[],
  ticks?: () => number,
) {
  const log = {
    info: (fields: object, message: string) => void logged.push({ level: 'info', fields, message }),
    warn: (fields: object, message: string) => void logged.push({ level: 'warn', fields, message }),
    error: (fields: object, message: string) => void logged.push({ level: 'error', fields, message }),
  }
  const secret = loadSecret({ ...config, DATA_DIR: folder }, (bytes) => bytes.fill(7))
  const db = await openMigrated(join(folder, 'satchel.db'), clock.now, () => secret.fingerprint, ticks)
  const meter = new Meter({
    path: join(folder, 'meter.db'),
    fingerprint: secret.fingerprint,
    now: () => clock.now,
    log,
  })
  return { secret, db, meter, log }
}

/** The JSON of a response whose body is read later; null if it has none. */
async function readCopy(response: Response): Promise<unknown> {
  const text = await response.clone().text()
  return text.startsWith('{') ? JSON.parse(text) : null
}

async function content(response: Response, path: string): Promise<unknown> {
  const text = await contentOf(response, path)
  return /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text
}
