import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { Outcome } from '../../http/idempotency'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { nameSchemas, Problem } from '../../http/schema'
import { QuickAdd, QuickAdded } from './schema'
import type { QuickAdds } from './service'

nameSchemas({ QuickAdd, QuickAdded })

export function quickRoutes({ quickAdds, api }: { quickAdds: QuickAdds; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).use(api).post(
    '/quick',
    async ({ body, session, once }) => {
      const reading = await quickAdds.read(session, body)
      return once(async (inside) => toQuickAddOutcome(body, changed(await quickAdds.add(inside, body, reading))))
    },
    {
      idempotent: true,
      body: QuickAdd,
      response: { 200: QuickAdded, 201: QuickAdded, 409: Problem },
      detail: {
        operationId: 'quickAddTask',
        ...refuses('empty_title'),
        summary: 'Add a task in words',
        description:
          '`Pay rent #Home @bills !2 every month on the 31st at 9am for 30 min remind 1 h before`: reads projects, sections, labels, priorities, dates, times, recurrences, durations and reminders. `spans` shows how each part was understood; the rest is the title. Words in quotes are not interpreted.',
      },
    },
  )
}

/** Returns the outcome: 201 with the address of the task, or 200 for a dry run, which must not be cached. */
function toQuickAddOutcome({ dry_run }: QuickAdd, added: Outcome<QuickAdded>): Outcome<QuickAdded> {
  if (dry_run === true) return { ...added, headers: { 'Cache-Control': 'no-store' } }
  const Location = `/api/tasks/${added.body.task.id}`
  return { ...added, status: 201, headers: { ...added.headers, Location } }
}
