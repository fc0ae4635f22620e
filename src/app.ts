import { join } from 'node:path'
import { Elysia } from 'elysia'
import packageJson from '../package.json'
import { chatRoutes } from './chat/routes'
import { createChat } from './chat/service'
import type { Config } from './config'
import type { Database, Session } from './db/database'
import type { Counter, Log } from './gate/counter-port'
import { gate, type Peer } from './gate/gate'
import type { Secret } from './gate/secret'
import { apiBasics } from './http/api'
import { createOnce } from './http/idempotency'
import { answerOtherMethods } from './http/methods'
import { internal, problem } from './http/problem'
import { notesRoutes } from './notes/routes'
import { createNotes } from './notes/service'
import { docs } from './system/docs'
import { pages } from './system/pages'
import { systemRoutes } from './system/routes'
import { workspaceRoutes } from './workspace/routes'
import { createWorkspaces } from './workspace/service'

export interface Deps {
  readonly config: Config
  readonly db: Database
  readonly meter: Counter
  readonly secret: Secret
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly log: Log
  /** The address of the socket that a request came by; tests hand in their own. */
  readonly peer?: Peer
}

/** The table of contents: who is let in, what there is, and how it is documented, in reading order. */
export function createApp(deps: Deps) {
  const { config, db, now, ids, log } = deps
  return new Elysia()
}
