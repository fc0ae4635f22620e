import { type As, MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** The app without limits of requests, and callers who have each a workspace of their own. */
export async function makeNotesWorld() {
  const world = await makeWorld({ settings: MANY_CALLERS })
  return { ...world, stranger }
}

/** What the tests of links ask of the notes of a caller all the time. */
export function readerOf(world: Pick<Awaited<ReturnType<typeof makeWorld>>, 'call'>, as: As) {
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    world.call(as, method, `/api/notes${path}`, body, headers)
  const get = async (id: string) => (await call('GET', `/${id}`)).body
  const links = async (id: string) => (await call('GET', `/${id}/links`)).body.items
  return {
    as,
    call,
    get,
    links,
    body: async (id: string): Promise<string> => (await get(id)).body,
    /** What each link of a note leads to. */
    targets: async (id: string): Promise<(string | null)[]> =>
      (await links(id)).map(({ note_id }: { note_id: string | null }) => note_id),
    backlinks: async (id: string, query = '') => (await call('GET', `/${id}/backlinks${query}`)).body.items,
    unresolved: async () => (await call('GET', '/unresolved')).body.items,
    patch: (id: string, patch: object, query = '') => call('PATCH', `/${id}${query}`, patch),
  }
}

/** All that a caller can see of the notes: whole living ones, the trash, and the state of the feed. */
export async function everything(world: Pick<Awaited<ReturnType<typeof makeWorld>>, 'call'>, me: As) {
  const living = await world.call(me, 'GET', '/api/notes?include=body&limit=200&archived=any&sort=created')
  const trashed = await world.call(
    me,
    'GET',
    '/api/notes?include=body&limit=200&trashed=true&archived=any&sort=created',
  )
  const changes = await world.call(me, 'GET', '/api/changes?limit=200')
  const usage = await world.call(me, 'GET', '/api/usage')
  return { living: living.body, trashed: trashed.body, changes: changes.body, usage: usage.body.workspace }
}
