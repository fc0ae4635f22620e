import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'

/** The app without limits of requests, and callers who have each a workspace of their own. */
export async function makeNotesWorld() {
  const world = await makeWorld({
    settings: MANY_CALLERS,
  })
  let keys = 0
  return { ...world, stranger: (): As => ({ key: makeKey(++keys) }) }
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
