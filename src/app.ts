import { join } from 'node:path'
import { Elysia } from 'elysia'
import { version } from '../package.json'
import { chatRoutes } from './chat/routes'
import { createChat } from './chat/service'
import type { Config } from './config'
import type { Database, Session } from './db/database'
import { type GateDeps, gate } from './gate/gate'
import { identityOf } from './gate/keys'
import type { Secret } from './gate/secret'
import { apiBasics } from './http/api'
import { createOnce, createRecall } from './http/idempotency'
import { createMethods } from './http/methods'
import { internal, problem } from './http/problem'
import { indexFollower } from './notes/index-follower'
import { linkFollower } from './notes/links/follower'
import { createRename } from './notes/links/rename'
import { linksRoutes } from './notes/links/routes'
import { createLinks } from './notes/links/service'
import { notesRoutes } from './notes/routes'
import { createNotes } from './notes/service'
import { tagFollower } from './notes/tag-follower'
import { createExports } from './notes/transfer/export'
import { FILE_PATHS, transferRoutes } from './notes/transfer/routes'
import { createImports } from './notes/transfer/service'
import { createWriter } from './notes/writer'
import { docs } from './system/docs'
import { pages } from './system/pages'
import { systemRoutes } from './system/routes'
import { workspaceRoutes } from './workspace/routes'
import { createWorkspaces } from './workspace/service'

export interface Deps extends Pick<GateDeps, 'meter' | 'now' | 'ids' | 'log' | 'peer'> {
  readonly config: Config
  readonly db: Database
  readonly secret: Secret
}

const PAGES = join(import.meta.dir, '../public')

/** The table of contents: who is let in, what there is, and how it is documented, in reading order. */
export async function createApp({ config, db, secret, ...deps }: Deps) {
  const { now, ids, log } = deps
  const workspaces = createWorkspaces({ db, now, quotas: quotasOf(config) })
  const { plugin, callerOf, visitOf } = gate({
    ...deps,
    settings: config.gate,
    identity: identityOf(secret.key),
    secretReadable: secret.readableByOthers,
    workspaceIsEmpty: workspaces.isEmpty,
  })
  const session = (request: Request): Session => ({ workspace: callerOf(request).workspace, db })
  const once = createOnce({ now, reserve: workspaces.reserve })
  const followers = [tagFollower, indexFollower, linkFollower]
  const writer = createWriter({ now, record: workspaces.record, followers })
  const notes = createNotes({ now, ids, writer, rename: createRename({ now, writer }) })
  const links = createLinks()
  const { usage, reserve } = workspaces
  const imports = createImports({ now, ids, writer, once, recall: createRecall({ now }), usage, reserve })
  const exports = createExports({ now, snapshot: () => db.snapshot() })
  const chat = createChat({ findNotes: notes.findByStems, passageCounts: notes.countByStems, now, ids })

  const methods = createMethods()
  const app = new Elysia({
    // The gate and the router must see the same path, whatever the Host header says; and no member is dropped unseen.
    handler: { standardHostname: false },
    normalize: false,
    serve: {
      idleTimeout: 30,
      reusePort: false,
      // Bodies are counted while they are read: this limit would answer without our headers.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      error: () => problem(internal(), '/', ids()),
    },
  })
    .use(plugin)
    .use(
      apiBasics({
        log,
        requestId: (request) => visitOf(request)?.requestId ?? ids(),
        methods,
        filePaths: FILE_PATHS,
      }),
    )
    .use(
      systemRoutes({
        version,
        session,
        metered: (request) => callerOf(request).usage(),
        workspaceUsage: workspaces.usage,
      }),
    )
    .use(chatRoutes({ chat, once, session }))
    .use(notesRoutes({ notes, once, session }))
    .use(transferRoutes({ imports, exports, session }))
    .use(linksRoutes({ links, session }))
    .use(workspaceRoutes({ workspaces, session }))
  methods.answerOthers(app)
  return app
    .use(docs({ version, freePerHour: config.FREE_LIMIT_PER_HOUR, apiPerHour: config.API_LIMIT_PER_HOUR }))
    .use(await pages(PAGES))
}

function quotasOf(config: Config) {
  return {
    key: { resources: config.WORKSPACE_RESOURCES, size_bytes: config.WORKSPACE_BYTES },
    scratch: { resources: config.SCRATCH_RESOURCES, size_bytes: config.SCRATCH_BYTES },
  }
}
