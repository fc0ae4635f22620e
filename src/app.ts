import { join } from 'node:path'
import { Elysia } from 'elysia'
import { version } from '../package.json'
import { archivePasses } from './archive/archive'
import { createArchiveExports } from './archive/export'
import { ARCHIVE_FILE_PATHS as ARCHIVE_PATHS, archiveRoutes } from './archive/routes'
import { databaseIn, importsIn } from './cli/data-folder'
import type { Config } from './config'
import type { Context } from './db/context'
import type { Database, Session } from './db/database'
import type { Trash } from './db/erasing'
import { checkReady } from './db/open'
import { type ChatSettings, chatFeature } from './features/chat'
import { chatServices } from './features/chat-services'
import { flashcardsFeature } from './features/flashcards'
import { notesFeature } from './features/notes'
import { tasksFeature } from './features/tasks'
import type { Meter } from './gate/counter'
import { type GateDeps, gate, peerOf } from './gate/gate'
import type { Secret } from './gate/keys'
import { identityOf } from './gate/keys'
import { mayObserve } from './gate/warnings'
import { apiBasics, createMethods, skipResponseValidation } from './http/api'
import { errorResponse, internal } from './http/api-error'
import { createKeep, createOnce, createRecall } from './http/idempotency'
import { requestPlugin } from './http/request'
import { importRoutes } from './imports/routes'
import { createImports, type Imports } from './imports/service'
import type { Job } from './jobs/scheduler'
import { Traffic, type TrafficLog } from './log/traffic'
import { docs } from './openapi/docs'
import { createSearchEngine } from './search/engine'
import { searchEverythingRoutes } from './search/routes'
import { createSearchEverything } from './search/service'
import type { SearchSource } from './search/source'
import { createDisk, type DiskSpace } from './system/disk'
import { servePages } from './system/pages'
import { probes, serverState } from './system/probes'
import { systemRoutes } from './system/routes'
import { readDateWords } from './tasks/quick/parse'
import { createCleanup } from './workspace/cleanup'
import { createErasing } from './workspace/erasing'
import { createListeners } from './workspace/listeners'
import { changesRoutes, workspaceRoutes } from './workspace/routes'
import { createWorkspaces } from './workspace/service'
import { createChangeStreams } from './workspace/stream'
import { createEmptyTrash } from './workspace/trash'

export interface Deps extends Context, Pick<GateDeps, 'peer'> {
  readonly meter: Meter
  readonly config: Config
  /** The space of the disk that holds the data folder. Throws if it cannot be read. */
  readonly diskSpace: () => DiskSpace
  /** Gets the line that each request leaves; `log` gets all others. */
  readonly requestLog: TrafficLog
  /** How many lines of the log could not be written, for /metrics. */
  readonly droppedLines: () => number
  readonly secret: Secret
  /** Each answer is held against its schema before it is sent; for tests. */
  readonly checkAnswers?: boolean
}

/** After this long a silent stream shows that it lives; servers and proxies cut what is silent for half a minute. */
const PING_MS = 15_000
const MINUTE_MS = 60_000

/** The table of contents: who is let in, what there is, how it is documented, and what is done beside the requests. */
export async function createApp({ config, db, secret, ...deps }: Deps) {
  const { now, ids, log, ticks, random, meter, peer = peerOf } = deps
  const context: Context = { now, ids, log, ticks, random, db }
  const traffic = new Traffic({ ...deps, log: deps.requestLog })
  const listeners = createListeners(() => search.wake())
  const disk = createDisk({ diskSpace: deps.diskSpace, minFreeBytes: config.MIN_FREE_BYTES, now, log })
  const workspaces = createWorkspaces({ db, now, quotas: config.quotas, diskIsFull: disk.isFull, listeners })
  const streams = createChangeStreams({ changes: workspaces.changes, listeners, log, pingMs: PING_MS })
  const { plugin, callerOf, contextOf, warnings } = gate({
    ...deps,
    watch: traffic,
    outsideId: (request) => traffic.idOf(request),
    settings: config.gate,
    identity: identityOf(secret.key),
    secretReadable: secret.readableByOthers,
    workspaceIsEmpty: workspaces.isEmpty,
    noteScratchRequest: workspaces.noteScratchRequest,
    ownerOf: (path) => tasks.feedOwner(path),
  })
  const limits = { free: config.FREE_LIMIT_PER_HOUR, api: config.API_LIMIT_PER_HOUR }
  const session = (request: Request): Session => {
    const { workspace, network } = callerOf(request)
    erasing.refuseWhileErased(workspace)
    return network === undefined ? { workspace, db } : { workspace, db, network }
  }
  const requestId = (request: Request) => contextOf(request)?.requestId ?? traffic.idOf(request)
  const once = createOnce({ now, reserve: workspaces.reserveOutcome })
  const { usage: workspaceUsage, reserve } = workspaces
  const recall = createRecall({ now })
  const encoder = await encoderOf(config, { now, log })
  const imports = createImports({
    ...context,
    recall,
    keep: createKeep({ now, reserve: workspaces.reserveOutcome }),
    database: databaseIn(config.DATA_DIR),
    root: importsIn(config.DATA_DIR),
    limits: config.imports,
    refuseOnFullDisk: workspaces.refuseOnFullDisk,
    report: (workspace, news) => listeners.report(workspace, { event: 'import', id: news.id, data: news }),
  })
  const sources = {
    note: lazily(() => notes.source),
    task: lazily(() => tasks.source),
    fact: lazily(() => flashcards.source),
  }
  const { createMeaning = null } = encoder ? await import('./search/meaning/meaning') : {}
  const meaning = encoder && createMeaning ? createMeaning({ ...context, encoder, sources, workspaces }) : null
  const search = createSearchEngine({ ...context, sources, meaning })
  const api = requestPlugin({ sessionOf: session, once, requestIdOf: requestId })
  const shared = { ...context, workspaces, once, recall, imports, api }
  const tasks = tasksFeature({
    ...shared,
    missingNotes: (...args) => notes.missing(...args),
    mayHold: (asker, text, limit) => search.mayHold(asker, 'task', text, limit),
  })
  const flashcards = flashcardsFeature({
    ...shared,
    missingNotes: (...args) => notes.missing(...args),
    noteText: (...args) => notes.text(...args),
    archivePasses,
  })
  const notes = notesFeature({
    ...shared,
    search,
    noteErased: async (...erased) => {
      await tasks.forgetNote(...erased)
      await flashcards.forgetNote(...erased)
    },
  })
  const chat = chatFeature({
    ...shared,
    settings: chatSettingsOf(config),
    version,
    reserve: workspaces.reserveOutcome,
    encoder,
    services: chatServices({ notes, tasks, flashcards }),
    countNotes: notes.count,
    openNotes: notes.openTexts,
    readWhen: (words, timeZone) => readDateWords(words, now(), timeZone),
  })
  const searchEverything = createSearchEverything({ now, find: search.find, sources })
  const features = [notes, tasks, flashcards, chat]
  const wipes = [imports.wipe, ...features.map(({ wipe }) => wipe), search.wipe]
  const erasing = createErasing({ db, wipes, listeners })
  await erasing.recall()
  const trash = features.flatMap((feature): readonly Trash[] => feature.trash)
  const cleanup = createCleanup({ db, now, log, trash, erasing, find: workspaces.find, reserve })
  const emptyTrash = createEmptyTrash({ trash, now, imports })
  const snapshot = () => db.snapshot()
  const archivedTypes = [...notes.archivedTypes, ...tasks.archivedTypes, ...flashcards.archivedTypes]
  const readables = [notes.readable, tasks.readable, flashcards.readable]
  const exports = createArchiveExports({ now, snapshot, archivedTypes, readables })
  const scratch = (request: Request) => callerOf(request).scratch
  const usageOf = (request: Request) => callerOf(request).usage()

  const methods = createMethods()
  const routes = bare(ids)
    .use(plugin)
    .use(
      apiBasics({
        log,
        requestId,
        hasMethod: methods.has,
        declares: methods.declares,
        filePaths: [...notes.filePaths, ...tasks.filePaths, ...flashcards.filePaths, ...ARCHIVE_PATHS],
      }),
    )
    .use(systemRoutes({ version, limits, api, usageOf, workspaceUsage }))
    .use(searchEverythingRoutes({ search: searchEverything, api }))
    .use(chat.routes)
    .use(notes.routes)
    .use(tasks.routes)
    .use(flashcards.routes)
    .use(changesRoutes({ workspaces, streams, api }))
    .use(importRoutes({ imports, api }))
    .use(workspaceRoutes({ erasing, emptyTrash, api }))
    .use(archiveRoutes({ imports, exports, archivedTypes, api, scratch }))
  methods.answerOthers(routes)
  if (!deps.checkAnswers) skipResponseValidation(routes)
  const app = routes
    .use(
      probes({
        now,
        log,
        peer,
        checkReady: async () => {
          meter.checkReady()
          await checkReady(db, now())
        },
        mayObserve: (request, from) => mayObserve(request.headers, from, config.gate, config.METRICS_ALLOW),
        families: async () => [
          ...traffic.families,
          ...serverState({
            ...deps,
            version,
            warnings,
            folder: config.DATA_DIR,
            disk,
            unindexed: await search.pending(),
            meant: search.meant(),
          }),
        ],
      }),
    )
    .use(docs({ version, freePerHour: limits.free, apiPerHour: limits.api }))
    .use(await servePages(join(import.meta.dir, '../public')))
  traffic.learn(app.routes.map(({ path }) => path || '/'))
  // In this order: rows are erased, their terms leave the index, and the log that has both is emptied.
  const jobs: Job[] = [...cleanup, ...notes.jobs, ...chat.jobs, ...search.jobs, tidyImports(imports), emptyLog(db)]
  const close = async () => {
    await imports.stop()
    await search.stop()
    await flashcards.close()
    await notes.close()
    encoder?.close()
  }
  return { app, jobs, startIndexing: search.start, imports, endStreams: streams.end, close }
}

/** Null without a model for meaning: then nothing of it is loaded. */
async function encoderOf({ semantic }: Config, deps: Pick<Deps, 'now' | 'log'>) {
  return semantic && (await import('./search/meaning/meaning')).openEncoder(semantic, deps)
}

/** The search source of a feature, looked up at each use: features are made after what they are handed. */
function lazily(source: () => SearchSource): SearchSource {
  return {
    texts: (...args) => source().texts(...args),
    keysOf: (...args) => source().keysOf(...args),
    properties: async (...args) => (await source().properties?.(...args)) ?? new Set(),
    show: (...args) => source().show(...args),
  }
}

/** What was broken off by a full disk goes on as well. */
function tidyImports({ tidy, resume }: Pick<Imports, 'tidy' | 'resume'>): Job {
  return { name: 'tidy up imports', every_ms: MINUTE_MS, run: () => tidy().then(resume) }
}

/** A log that a snapshot still reads is emptied by a later run. */
function emptyLog(db: Database): Job {
  return { name: 'empty the write-ahead log', every_ms: MINUTE_MS, run: () => db.emptyLog() }
}

function bare(ids: () => string) {
  return new Elysia({
    // The gate and the router must see the same path, whatever the Host header says; and no member is dropped unseen.
    handler: { standardHostname: false },
    normalize: false,
    serve: {
      idleTimeout: 30,
      reusePort: false,
      // Bodies are counted while they are read: this limit would answer without our headers.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      error: () => errorResponse(internal(), '/', ids()),
    },
  })
}

function chatSettingsOf(config: Config): ChatSettings {
  return {
    upstream: config.upstream,
    anonymous: config.CHAT_ANON_UPSTREAM,
    tokensPerDay: config.CHAT_TOKENS_PER_DAY,
    concurrency: config.CHAT_CONCURRENCY,
    fallback: config.CHAT_FALLBACK,
  }
}
