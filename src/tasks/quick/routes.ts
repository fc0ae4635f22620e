import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { changed, send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { QuickAdd, QuickAdded } from './schema'
import type { QuickAdds } from './service'

interface Deps {
  readonly quickAdds: QuickAdds
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function quickRoutes({ quickAdds, once, session }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).post(
    '/quick',
    async ({ request, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          const added = changed(await quickAdds.add(within, body))
          if (body.dry_run === true) return { ...added, headers: { 'Cache-Control': 'no-store' } }
          const Location = `/api/tasks/${added.body.task.id}`
          return { ...added, status: 201, headers: { ...added.headers, Location } }
        }),
      ),
    {
      body: QuickAdd,
      response: { 200: QuickAdded, 201: QuickAdded, 409: Problem },
      detail: {
        operationId: 'quickAddTask',
        summary: 'Add a task in words',
        description:
          '`Pay rent #Home @bills !2 every month on the 31st at 9am for 30 min remind 1 h before`: projects, sections, labels, priorities, dates, times, repeats. `spans` shows what was taken for what; the rest is the title. Put words in quotes to leave them alone.',
      },
    },
  )
}
