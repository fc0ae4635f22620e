import { createScheduler } from '../../src/jobs/scheduler'
import { paged } from '../support/paged'
import { contradictions } from '../support/recount'
import { type As, MANY_CALLERS, makeWorld, stranger } from '../support/world'

/** A world without limits to requests, with shorthands for what these tests do all the time. */
export async function makeHistoryWorld() {
  const world = await makeWorld({ settings: MANY_CALLERS })

  /** All pages of a list. */
  const all = (me: As, path: string) => paged((to) => world.call(me, 'GET', to), `${path}?limit=200`)

  return {
    ...world,
    all,
    stranger,
    /** The numbers of the revisions that a note has, newest first. */
    async numbers(me: As, note: { id: string }): Promise<number[]> {
      return (await all(me, `/api/notes/${note.id}/revisions`)).map(({ revision }: { revision: number }) => revision)
    },
    /** Runs the jobs, as if the server had just been started. */
    async runJobs() {
      const { jobs, log } = world
      await createScheduler({ now: () => world.clock.now, log, jobs }).tick()
    },
    /** What in the database contradicts itself; the bytes of the history are counted anew. */
    contradictions: () => contradictions(world.folder),
  }
}
