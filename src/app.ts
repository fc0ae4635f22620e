import type { ELDHistogram } from 'node:perf_hooks'
import { Elysia } from 'elysia'
import { version } from '../package.json'
import { createArchiveExports } from './archive/export'
import { ARCHIVE_FILE_PATHS, archiveRoutes } from './archive/routes'
import { createBlobJob, createBlobStaging, wipeBlobs } from './blobs/staging'
import { importsPath, type Secret, searchPath } from './cli/data-folder'
import type { Config } from './config'
import { type Context, type Database, DatabaseUntil, ownersOf, type Session } from './db/database'
import { checkReady } from './db/open'
import { createLocalPlaces, type LimitedPlaces } from './db/places'
import type { Channel } from './db/redis-channel'
import type { Trash } from './db/trash'
import { type ChatSettings, chatFeature, MODEL_PATHS } from './features/chat'
import { flashcardsFeature, SIGNED_MEDIA_PATH, STUDY_EXPORT_PATH } from './features/flashcards'
import { mcpFeature } from './features/mcp'
import { notesFeature, SIGNED_ATTACHMENTS_PATH } from './features/notes'
import { FEEDS_PATH, tasksFeature } from './features/tasks'
import { createToolbox } from './features/tools'
import { factSource } from './flashcards/search-source-store'
import { createGate, type GateDeps, peerOf } from './gate/gate'
import { createAddressSigner, createIdentity } from './gate/keys'
import type { OpenCounter } from './gate/tiers'
import { apiBasics, createMethods, requestPlugin, skipResponseValidation } from './http/api'
import { internal } from './http/api-error'
import { errorResponse } from './http/error-format'
import { deadlineOf, IDLE_SECONDS } from './http/request'
import { createFindOutcome, createRunOnce, createStoreOutcome } from './http/responses'
import { importRoutes } from './imports/routes'
import { createImports, type Imports } from './imports/service'
import type { Job } from './jobs/scheduler'
import { startTimer } from './lib/steps'
import { Traffic, type TrafficLog } from './log/traffic'
import { noteSource } from './notes/search/store'
import { docsRoutes } from './openapi/docs'
import { createSearchEngine } from './search/engine'
import { deleteVectors } from './search/meaning/vector-store'
import { searchEverythingRoutes } from './search/routes'
import { createFindKeys, createFindTexts, createSearchEverything } from './search/service'
import type { Pages } from './system/pages'
import { listServerMetrics, probeRoutes } from './system/probes'
import { systemRoutes } from './system/routes'
import { taskSource } from './tasks/store'
import { createCleanup } from './workspace/cleanup'
import { createListeners, createWorkspaceEraser } from './workspace/processes'
import { changesRoutes, workspaceRoutes } from './workspace/routes'
import { createDisk, createWorkspaces, type DiskSpace } from './workspace/service'
import { archivedWorkspaceSettings, createWorkspaceSettings, workspaceSettingsRoutes } from './workspace/settings'
import { createChangeStreams } from './workspace/stream'
import { createEmptyTrash } from './workspace/trash'

export interface Deps extends Context, Pick<GateDeps, 'peer' | 'timer'> {
  readonly meter: OpenCounter
  /** To the other processes of this server; absent if there are none. */
  readonly channel?: Channel | null
  /** The places that all processes share; absent if there are no others. */
  readonly places?: LimitedPlaces
  readonly config: Config
  /** Reads the space of the disk that holds the data folder. Throws if it cannot be read. */
  readonly diskSpace: () => DiskSpace
  /** The log for the line of each request; all other lines go to `log`. */
  readonly requestLog: TrafficLog
  /** Returns how many lines of the log could not be written, for /metrics. */
  readonly droppedLines: () => number
  /** Measures the delay of the event loop, for /metrics. */
  readonly loopDelay: ELDHistogram
  readonly secret: Secret
  /** What browsers load. */
  readonly pages: Pages
  /** Whether each response is checked against its schema before it is sent; for tests. */
  readonly checkAnswers?: boolean
}

/**
 * A silent stream sends a comment at this interval, since servers and proxies cut connections that are silent for 30 s.
 */
const PING_MS = 15_000
const MINUTE_MS = 60_000

/**
 * Wires the server: the gate, the features, their routes, the API document and the background jobs. Parts that need
 * each other refer to later constants in closures, which are called only after this function has returned.
 */
export async function createApp({ config, db, secret, pages, ...deps }: Deps) {
  const { now, ids, log, ticks, random, meter, peer = peerOf, timer = startTimer, places = createLocalPlaces() } = deps
  const context: Context = { now, ids, log, ticks, random, db }
  const traffic = new Traffic({ ...deps, log: deps.requestLog })
  const listeners = createListeners((workspace) => search.wake(workspace), deps.channel)
  const disk = createDisk({ diskSpace: deps.diskSpace, minFreeBytes: config.MIN_FREE_BYTES, now, log })
  const workspaces = createWorkspaces({ db, now, quotas: config.quotas, diskIsFull: disk.isFull, listeners })
  const streams = createChangeStreams({ changes: workspaces.listChanges, listeners, places, log, pingMs: PING_MS })
  const {
    plugin: gatePlugin,
    callerOf,
    contextOf,
    noteUnserved,
    mayObserve,
    warnings,
  } = createGate({
    ...deps,
    timer,
    observer: traffic,
    requestIdOutsideApi: (request) => traffic.idOf(request),
    settings: config.gate,
    identity: createIdentity(secret.key),
    isSecretReadable: secret.readableByOthers,
    workspaceIsEmpty: workspaces.isEmpty,
    noteScratchRequest: workspaces.noteScratchRequest,
    mayTakeLonger: new Set([...MODEL_PATHS, STUDY_EXPORT_PATH]),
    secretPaths: {
      prefixes: [FEEDS_PATH, SIGNED_ATTACHMENTS_PATH, SIGNED_MEDIA_PATH],
      findOwner: (path) => tasks.findFeedOwner(path) ?? notes.findFileOwner(path) ?? flashcards.findFileOwner(path),
    },
  })
  const limits = { free: config.FREE_LIMIT_PER_HOUR, api: config.API_LIMIT_PER_HOUR }
  const sessionOf = (request: Request): Session => {
    const { workspace, network } = callerOf(request)
    workspaceEraser.requireNotErasing(workspace)
    const owned = db.ownedBy(...ownersOf(workspace))
    const deadline = deadlineOf(request)
    // What took longer by permission still has to be counted after the caller has left.
    const until = deadline && !deadline.isExempt ? new DatabaseUntil(owned, deadline) : owned
    return { workspace, network, db: until, deadline }
  }
  const requestIdOf = (request: Request) => contextOf(request)?.requestId ?? traffic.idOf(request)
  const runOnce = createRunOnce({ now, reserve: workspaces.reserveOutcome })
  const findOutcome = createFindOutcome({ now })
  const encoder = await openEncoder(config, { now, log })
  const storeOutcome = createStoreOutcome({ now, reserve: workspaces.reserveOutcome })
  const imports = createImports({
    ...context,
    timer,
    places,
    findOutcome,
    storeOutcome,
    root: importsPath(config.DATA_DIR),
    limits: config.imports,
    refuseOnFullDisk: workspaces.refuseOnFullDisk,
    report: (workspace, news) => listeners.sendNews(workspace, { event: 'import', id: news.id, data: news }),
  })
  const sources = { note: noteSource, task: taskSource, fact: factSource }
  const { createMeaning = null } = encoder ? await import('./search/meaning/meaning') : {}
  const meaning = encoder && createMeaning ? createMeaning({ ...context, encoder, sources, workspaces }) : null
  const folder = searchPath(config.DATA_DIR)
  const search = createSearchEngine({ ...context, folder, sources, meaning, diskIsFull: () => disk.isFull(0) })
  const searchEverything = createSearchEverything({ ...search, now, sources })
  const findKeys = createFindKeys(search)
  const api = requestPlugin({ sessionOf, runOnce, requestIdOf })
  const blobs = createBlobStaging({ now, reserve: workspaces.reserve })
  const signAddress = createAddressSigner(secret.key)
  const shared = { ...context, workspaces, runOnce, findOutcome, imports, api, blobs, signAddress }
  const tasks = tasksFeature({
    ...shared,
    missingNotes: (...args) => notes.missing(...args),
    findByText: (asker, query, pointer) => findKeys(asker, 'task', query, pointer),
  })
  const flashcards = flashcardsFeature({
    ...shared,
    missingNotes: (...args) => notes.missing(...args),
    findFacts: (asker, words, pointer) => findKeys(asker, 'fact', words, pointer),
    noteText: (...args) => notes.text(...args),
  })
  const notes = notesFeature({
    ...shared,
    search,
    searchEverything,
    noteErased: async (...erased) => {
      await tasks.forgetNote(...erased)
      await flashcards.forgetNote(...erased)
    },
  })
  const toolbox = createToolbox({
    search: searchEverything,
    ...{ notes, tasks, flashcards, listChanges: workspaces.listChanges },
  })
  const chat = chatFeature({
    ...shared,
    settings: chatSettingsOf(config),
    places,
    version,
    reserve: workspaces.reserveOutcome,
    encoder,
    tools: toolbox,
    findTexts: createFindTexts({ ...search, sources }),
  })
  const mcp = mcpFeature({
    ...shared,
    version,
    corsOrigin: config.gate.corsOrigin,
    tools: toolbox,
    subscribe: streams.subscribe,
    storeOutcome,
  })
  const features = [notes, tasks, flashcards, chat]
  const wipes = [imports.wipe, ...features.map(({ wipe }) => wipe), wipeBlobs, deleteVectors]
  const workspaceEraser = createWorkspaceEraser({ db, wipes, listeners, onErased: search.forget })
  await workspaceEraser.loadUnderWay()
  const trash = features.flatMap((feature): readonly Trash[] => feature.trash)
  const cleanup = createCleanup({
    db,
    now,
    log,
    trash,
    eraser: workspaceEraser,
    find: workspaces.find,
    reserve: workspaces.reserve,
  })
  const emptyTrash = createEmptyTrash({ trash, now, imports })
  const snapshot = () => db.snapshot()
  const archivedTypes = [
    archivedWorkspaceSettings(workspaces),
    ...notes.archivedTypes,
    ...tasks.archivedTypes,
    ...flashcards.archivedTypes,
  ]
  const filesForPeople = [notes.filesForPeople, tasks.filesForPeople, flashcards.filesForPeople]
  const exports = createArchiveExports({ now, snapshot, archivedTypes, filesForPeople })
  const scratchOf = (request: Request) => callerOf(request).scratch
  const usageOf = (request: Request) => callerOf(request).usage()

  const settings = createWorkspaceSettings({ now, record: workspaces.record })
  const readers = { ...notes.readers, ...tasks.readers, ...flashcards.readers, workspace_settings: settings.get }
  const methods = createMethods()
  const routes = createServer(ids)
    .use(gatePlugin)
    .use(
      apiBasics({
        log,
        requestId: requestIdOf,
        noteUnserved,
        methods,
        filePaths: [...notes.filePaths, ...tasks.filePaths, ...flashcards.filePaths, ...ARCHIVE_FILE_PATHS],
        curlPaths: chat.curlPaths,
        textBodies: notes.textBodies,
      }),
    )
    .use(systemRoutes({ version, limits, api, usageOf, workspaceUsage: workspaces.usage }))
    .use(searchEverythingRoutes({ search: searchEverything, api }))
    .use(chat.routes)
    .use(mcp.routes)
    .use(notes.routes)
    .use(tasks.routes)
    .use(flashcards.routes)
    .use(changesRoutes({ workspaces, streams, readers, api }))
    .use(importRoutes({ imports, api }))
    .use(workspaceRoutes({ eraser: workspaceEraser, emptyTrash, api }))
    .use(workspaceSettingsRoutes({ settings, api }))
    .use(archiveRoutes({ imports, exports, archivedTypes, api, scratchOf }))
  methods.answerOthers(routes)
  if (!deps.checkAnswers) skipResponseValidation(routes)
  const app = routes
    .use(
      probeRoutes({
        now,
        log,
        peer,
        checkReady: async () => {
          await meter.checkReady()
          await checkReady(db, now())
        },
        mayObserve: (request, from) => mayObserve(request, from, config.METRICS_ALLOW),
        families: async () => [
          ...traffic.families,
          ...listServerMetrics({
            ...deps,
            db,
            version,
            warnings,
            folder: config.DATA_DIR,
            disk,
            unindexed: search.countPending(),
            embeddings: meaning?.state() ?? null,
          }),
        ],
      }),
    )
    .use(docsRoutes({ version, freePerHour: limits.free, apiPerHour: limits.api, linkFiles: pages.linkFiles }))
    .use(pages.routes)
  traffic.registerRoutes(app.routes.map(({ path }) => path || '/'))
  // The order matters: rows are erased, then the write-ahead log that has them is emptied.
  const jobs: Job[] = [
    ...[
      ...[...cleanup, createBlobJob({ db, now, workspaces }), ...notes.jobs, ...chat.jobs],
      ...(meaning ? [meaning.job] : []),
    ].map((job) => runInOneProcess(db, job)),
    // The files of imports, and the indexes of search, are in the folder of each process.
    tidyImports(imports),
    ...search.jobs,
    emptyLog(db),
  ]
  const close = async () => {
    await imports.stop()
    await meaning?.stop()
    await search.stop()
    await flashcards.close()
    await notes.close()
  }
  return { app, jobs, startIndexing: search.start, imports, endStreams: streams.end, close }
}

/** Opens the encoder; null without a model for embeddings, whose code is then not even loaded. */
async function openEncoder({ semantic }: Config, deps: Pick<Deps, 'now' | 'log'>) {
  return semantic && (await import('./search/meaning/remote')).createRemoteEncoder(semantic, deps)
}

/** Makes the job that tidies up imports. It also resumes those that a full disk interrupted. */
function tidyImports({ tidy, resume }: Pick<Imports, 'tidy' | 'resume'>): Job {
  return { name: 'tidy up imports', every_ms: MINUTE_MS, run: () => tidy().then(resume) }
}

/** Makes a job do nothing while another process does it. */
function runInOneProcess(db: Database, job: Job): Job {
  return { ...job, run: (signal) => db.exclusively(`job ${job.name}`, () => job.run(signal), { wait: false }) }
}

/**
 * Makes the job that empties the write-ahead log. If a snapshot still reads the log, a later run of the job empties it.
 */
function emptyLog(db: Database): Job {
  return { name: 'empty the write-ahead log', every_ms: MINUTE_MS, run: () => db.emptyLog() }
}

/** Creates the Elysia server without routes. */
function createServer(ids: () => string) {
  return new Elysia({
    // The gate and the router must see the same path, whatever the Host header says.
    handler: { standardHostname: false },
    // Unknown members must be refused, not dropped.
    normalize: false,
    serve: {
      idleTimeout: IDLE_SECONDS,
      reusePort: false,
      // Our code limits bodies while it reads them. Bun's own limit would send a response without our headers.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      error: () => errorResponse(internal(), '/', ids()),
    },
  })
}

function chatSettingsOf(config: Config): ChatSettings {
  return {
    upstream: config.upstream,
    tokensPerDay: config.CHAT_TOKENS_PER_DAY,
    concurrency: config.CHAT_CONCURRENCY,
  }
}
