import { type Answer, type As, MANY_CALLERS, makeWorld, stranger } from '../../support/world'

const KINDS = ['projects', 'sections', 'labels', 'filters', 'tasks'] as const
type Kind = (typeof KINDS)[number]
const base = (kind: Kind) => (kind === 'tasks' ? '/api/tasks' : `/api/tasks/${kind}`)

/** The app, and callers with a workspace each. */
export async function makeListsWorld() {
  const world = await makeWorld({ settings: MANY_CALLERS })
  return { ...world, stranger: () => caller(world, stranger()) }
}

export type Caller = ReturnType<typeof caller>

function caller(world: Pick<Awaited<ReturnType<typeof makeWorld>>, 'call'>, as: As) {
  const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
    world.call(as, method, path, body, headers)

  const tasks: string[] = []
  const get = async (kind: Kind, id: string): Promise<Answer['body']> => (await ask('GET', `${base(kind)}/${id}`)).body

  return {
    as,
    ask,
    get,

    /** Makes one and answers it; a refusal fails the test. */
    async make(kind: Kind, body: object): Promise<Answer['body']> {
      const made = await ask('POST', base(kind), body)
      if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`)
      if (kind === 'tasks') tasks.push(made.body.id)
      return made.body
    },

    change: (kind: Kind, id: string, body: object, headers = {}) => ask('PATCH', `${base(kind)}/${id}`, body, headers),
    drop: (kind: Kind, id: string, query = '') => ask('DELETE', `${base(kind)}/${id}${query}`),
    restore: (kind: Kind, id: string) => ask('POST', `${base(kind)}/${id}/restore`),

    /** The tasks that were made: those that live, or those in the trash, by position. */
    async tasks(where: 'living' | 'trash' = 'living'): Promise<Answer['body'][]> {
      const all = await Promise.all(tasks.map((id) => get('tasks', id)))
      const wanted = all.filter(({ deleted_at }) => (deleted_at === null) === (where === 'living'))
      return wanted.toSorted((a, b) => (a.position < b.position ? -1 : 1))
    },

    /** Every item of a list, two at a time. */
    async all(kind: Kind, query = ''): Promise<Answer['body'][]> {
      const items: Answer['body'][] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await ask('GET', `${base(kind)}?limit=2${query}${cursor && `&cursor=${cursor}`}`)
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        items.push(...body.items)
        cursor = body.next_cursor
      }
      return items
    },
  }
}

/** The members of each item by these names, one name alone without an object around it. */
export function pick(items: readonly Answer['body'][], name: string): unknown[] {
  return items.map((item) => item[name])
}
