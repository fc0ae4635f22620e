import { Type } from '@sinclair/typebox'
import { readCivilDate } from '../http/values'
import { fromDay, toDay } from '../lib/civil/day'
import { civilOf, clockTime } from '../lib/civil/zone'
import { showsTask } from './find'
import { clip } from './fit'
import { closedObject } from './schema'
import type { ToolAgendaItem, ToolServices, ToolTask } from './services'
import { citeWhole } from './source'
import { toDueMembers } from './task-changes'
import { allowsKind, asOf, isNarrow, type ReadTool, type ToolContext } from './tool'

const [DEFAULT_DAYS, MAX_DAYS] = [7, 31]
/** Tasks of each list, at most: more do not fit into a result. */
const MAX_ITEMS = 50

const input = closedObject({
  from: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'Default: today' })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
})

export function agendaTool({ tasks }: ToolServices): ReadTool<typeof input> {
  /** Creates the reader of the tasks of items; each is read once. */
  function createReader({ session }: ToolContext) {
    const known = new Map<string, Promise<ToolTask>>()
    return (id: string) => {
      const task = known.get(id) ?? tasks.get(session, id).then(({ resource }) => resource)
      known.set(id, task)
      return task
    }
  }

  return {
    name: 'agenda',
    title: 'Show the agenda',
    description: 'What is overdue, due or starts, day by day. To filter: list_tasks.',
    risk: 'read',
    returnsText: 'titles',
    input,
    async run({ from, days = DEFAULT_DAYS }, context) {
      const { session, scope, timeZone, now } = context
      const today = fromDay(civilOf(now, timeZone).day)
      const nothing = { today, overdue: [], items: [], more: false }
      if (!allowsKind(scope, 'task')) return { result: nothing, sources: [] }
      const first = readCivilDate(from ?? today, '/from')
      const to = fromDay(toDay(first) + days - 1)
      const agenda = await tasks.getAgenda(session, { from: first, to, ...asOf(context) })
      const overdue = agenda.overdue.filter((task) => showsTask(scope, task))
      const readTask = createReader(context)
      const items: object[] = []
      for (const { date, items: all } of agenda.days)
        for (const item of all) {
          if (items.length > MAX_ITEMS) break
          if (isNarrow(scope) && !showsTask(scope, await readTask(item.task_id))) continue
          const zone = item.at === null ? null : zoneOf(await readTask(item.task_id))
          items.push(toListItem({ date, ...item }, zone ?? timeZone))
        }
      const shown = overdue.slice(0, MAX_ITEMS)
      return {
        result: {
          today,
          overdue: shown.map(({ id, title, due }) => ({ id, title: clip(title), ...toDueMembers(due, timeZone) })),
          items: items.slice(0, MAX_ITEMS),
          more: items.length > MAX_ITEMS || overdue.length > MAX_ITEMS || agenda.overdue_more,
        },
        sources: shown.map(citeWhole.task),
      }
    },
  }
}

const zoneOf = ({ due, start }: ToolTask): string | null => due?.time_zone ?? start?.time_zone ?? null

/** Writes an item, whose time is in the zone of its task: the agenda has it in that of the workspace. */
function toListItem(item: ToolAgendaItem & { readonly date: string }, timeZone: string) {
  const { task_id: id, title, at, kind, projected } = item
  const civil = at === null ? null : civilOf(Date.parse(at), timeZone)
  const when = civil
    ? { date: fromDay(civil.day), time: clockTime(civil.minutes), time_zone: timeZone }
    : { date: item.date, time: null, time_zone: null }
  const { due, ...zone } = toDueMembers(when, timeZone)
  return { id, title: clip(title), when: due, ...zone, kind, projected }
}
