import type { Session, WorkspaceId } from '../../src/db/database'
import { type As, MANY_CALLERS, makeWorld, type Shown, stranger } from '../support/world'

export type TasksWorld = Awaited<ReturnType<typeof makeTasksWorld>>

export type { Shown }

/** The app without limits of requests, and short ways to ask for tasks. */
export async function makeTasksWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, ...settings } })
  const { call } = world

  return {
    ...world,

    stranger,

    /** Makes a task and answers it. */
    async make(me: As, task: object = {}): Promise<Shown> {
      const made = await call(me, 'POST', '/api/tasks', { title: 'T', ...task })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return made.body
    },

    /** Makes tasks, one after the other, and answers them. */
    async create(me: As, ...tasks: readonly object[]): Promise<Shown[]> {
      const made: Shown[] = []
      for (const task of tasks) made.push(await this.make(me, task))
      return made
    },

    /** What is answered to a question with these parameters; throws unless it is served. */
    async ask(me: As, path: string, query: Readonly<Record<string, string>>): Promise<Shown> {
      const { status, body } = await call(me, 'GET', `/api/tasks/${path}?${new URLSearchParams(query)}`)
      if (status !== 200) throw new Error(`${path} ${JSON.stringify(query)}: ${JSON.stringify(body)}`)
      return body
    },

    read: async (me: As, id: string): Promise<Shown> => (await call(me, 'GET', `/api/tasks/${id}`)).body,

    patch: (me: As, id: string, body: object, headers = {}) => call(me, 'PATCH', `/api/tasks/${id}`, body, headers),

    /** Asks for an action of a task, such as `complete`. */
    act: (me: As, id: string, action: string, body?: object, headers = {}) =>
      call(me, 'POST', `/api/tasks/${id}/${action}`, body, headers),

    remove: (me: As, id: string, query = '') => call(me, 'DELETE', `/api/tasks/${id}${query}`),

    undo: (me: As, id: string, completion: string, query = '') =>
      call(me, 'DELETE', `/api/tasks/${id}/completions/${completion}${query}`),

    /** Completions of a task, newest first. */
    completions: async (me: As, id: string): Promise<Shown[]> =>
      (await call(me, 'GET', `/api/tasks/${id}/completions?limit=200`)).body.items,

    /** Puts a project with one section into the workspace that holds a task. */
    async addProject(task: string, n: number): Promise<{ project: string; section: string }> {
      const [project, section] = ['a', 'b'].map(
        (digit) => `0189000${digit}-0000-7000-8000-${String(n).padStart(12, '0')}`,
      )
      const row = await world.db.get<{ workspace: string }>('SELECT workspace FROM tasks WHERE id = $1', [task])
      const common = [row?.workspace ?? '', `p${n}`]
      await world.db.run(
        `INSERT INTO task_projects (workspace, name, name_key, id, revision, created_at, updated_at, notes, position, size_bytes)
         VALUES ($1, $2, $2, $3, 1, 0, 0, '', 'a0', 0)`,
        [...common, project ?? ''],
      )
      await world.db.run(
        `INSERT INTO task_sections (workspace, name, name_key, id, project_id, revision, created_at, updated_at, position, size_bytes)
         VALUES ($1, $2, $2, $3, $4, 1, 0, 0, 'a0', 0)`,
        [...common, section ?? '', project ?? ''],
      )
      await world.db.run('UPDATE workspaces SET resources = resources + 2 WHERE id = $1', [row?.workspace ?? ''])
      return { project: project ?? '', section: section ?? '' }
    },
  }
}

/** A due date without a time. */
export const day = (date: string) => ({ date, time: null, time_zone: null })

/** What a client or an action has set: a task less what counts its changes, and what is computed of others. */
export function stored({ revision: _, updated_at: __, blocked: ___, blocking: ____, subtasks: _____, ...rest }: Shown) {
  return rest
}

/** What a refusal says: the status, and the first fault's pointer or else the code. */
export function refused({ status, body }: { readonly status: number; readonly body: Shown }) {
  return [status, body.errors?.[0]?.pointer ?? body.code]
}

/** The workspace that holds a task, for the functions of a store. */
export async function sessionOf({ db }: Pick<TasksWorld, 'db'>, task: string): Promise<Session> {
  const row = await db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM tasks WHERE id = $1', [task])
  if (!row) throw new Error(`there is no task ${task}`)
  return { db, workspace: { id: row.workspace, kind: 'key' } }
}
