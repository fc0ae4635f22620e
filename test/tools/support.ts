import { createBlobStaging } from '../../src/blobs/staging'
import type { Session, WorkspaceId } from '../../src/db/database'
import { flashcardsFeature } from '../../src/features/flashcards'
import { notesFeature } from '../../src/features/notes'
import { tasksFeature } from '../../src/features/tasks'
import { createToolbox } from '../../src/features/tools'
import { createIdentity } from '../../src/gate/keys'
import { requestPlugin } from '../../src/http/api'
import { createRunOnce } from '../../src/http/responses'
import { createFindKeys, createSearchEverything } from '../../src/search/service'
import { confirmationsJob } from '../../src/tools/confirmations'
import { createExecutor } from '../../src/tools/executor'
import type { ChatAction } from '../../src/tools/schema'
import type { ToolContext } from '../../src/tools/tool'
import { searchOf, sources } from '../support/search'
import { makeWorkspaces } from '../support/workspaces'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'

export const OPEN = { types: null, tags: null, ids: null }

type World = Awaited<ReturnType<typeof makeWorld>>

/** The features as app.ts puts them together, over the database of a world. */
function services(world: World) {
  const now = () => world.clock.now
  let count = 0
  const ids = () => `01980000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  const { config, db } = world
  const quota = { resources: config.WORKSPACE_RESOURCES, size_bytes: config.WORKSPACE_BYTES }
  const workspaces = makeWorkspaces({ db, now }, quota)
  const runOnce = createRunOnce({ now, reserve: workspaces.reserve })
  const nobody = (): never => {
    throw new Error('no request is sent here')
  }
  const runs = { findEarlier: async () => null, work: nobody, begin: nobody, waitForOutcome: nobody }
  const imports = { register() {}, receive: nobody, registerWork() {}, ...runs }
  const deps = {
    now,
    ids,
    db,
    workspaces,
    runOnce,
    blobs: createBlobStaging({ now, reserve: workspaces.reserve }),
    imports,
    log: world.log,
    signAddress: (text: string) => text,
    session: nobody,
    requestId: () => '',
    api: requestPlugin({ sessionOf: nobody, runOnce, requestIdOf: nobody }),
  }
  const search = searchOf(db, now)
  const searchEverything = createSearchEverything({ ...search, now, sources })
  const findKeys = createFindKeys(search)
  const notes = notesFeature({ ...deps, search, searchEverything, noteErased: async () => {} })
  const missingNotes = notes.missing
  const tasks = tasksFeature({
    ...deps,
    random: crypto.getRandomValues.bind(crypto),
    missingNotes,
    findByText: (session, query, pointer) => findKeys(session, 'task', query, pointer),
  })
  const flashcards = flashcardsFeature({
    ...deps,
    missingNotes,
    findFacts: (session, query, pointer) => findKeys(session, 'fact', query, pointer),
    noteText: notes.text,
  })
  const listChanges = workspaces.listChanges
  return {
    tools: createToolbox({ search: searchEverything, notes, tasks, flashcards, listChanges }),
    close: notes.close,
  }
}

/** The app, an executor over its database, and callers who call both. */
export async function makeTools(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, ...settings } })
  const { tools, close } = services(world)
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  const executor = createExecutor({ services: tools.services, catalogue: tools.every, everyTool: tools.every, random })
  const identity = createIdentity(world.secret.key)
  let callers = 0

  function caller() {
    const key = makeKey(++callers)
    const recorded: ChatAction[] = []
    const session: Session = { db: world.db, workspace: { id: identity.key(key) as WorkspaceId, kind: 'key' } }
    const context = (changes: Partial<ToolContext> = {}): ToolContext => ({
      session,
      scope: OPEN,
      mode: 'write',
      timeZone: 'Europe/Berlin',
      now: world.clock.now,
      signal: new AbortController().signal,
      hasReadText: false,
      record: async (_, action) => void recorded.push(action),
      ...changes,
    })
    async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const answer = await world.call({ key }, method, path, body, headers)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    /** Sends what `undo` says, and what is to be sent after it. */
    async function undo(action: ChatAction | null | undefined): Promise<void> {
      for (const step of [action?.undo, ...((action?.undo?.next as unknown[] | undefined) ?? [])]) {
        const { method, path, body, if_match } = step as {
          method: string
          path: string
          body: unknown
          if_match: string
        }
        await send(method, path, body ?? undefined, { 'If-Match': if_match })
      }
    }
    return {
      key,
      recorded,
      context,
      send,
      undo,
      call: (tool: string, args: unknown, changes?: Partial<ToolContext>) =>
        executor.call(context(changes), tool, args),
      confirm: (by: { tokens?: string[]; code?: string }, changes?: Partial<ToolContext>) =>
        executor.confirm(context(changes), { tokens: by.tokens ?? [], code: by.code ?? null }),
      changes: async () => (await send('GET', '/api/changes?since=0&limit=200')).items,
    }
  }

  return {
    world,
    executor,
    toolbox: tools,
    caller,
    /** Runs the scheduler's job. */
    sweep: () => confirmationsJob({ db: world.db, now: () => world.clock.now }).run(new AbortController().signal),
    async close() {
      await close()
      await world.close()
    },
  }
}

export type Caller = ReturnType<Awaited<ReturnType<typeof makeTools>>['caller']>

/** A message of why a call did nothing, for tests that expect that it did something. */
export function ok<Outcome extends { fault: { code: string; detail: string } | null }>(outcome: Outcome): Outcome {
  if (outcome.fault) throw new Error(`${outcome.fault.code}: ${outcome.fault.detail}`)
  return outcome
}
