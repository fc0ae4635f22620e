import { Type } from '@sinclair/typebox'
import { readCivilDate } from '../http/values'
import { fromDay, toDay } from '../lib/civil/day'
import { civilOf } from '../lib/civil/zone'
import { writeWhen } from './complete-task'
import { showsTask } from './find'
import { clip } from './fit'
import { closedObject } from './schema'
import type { ToolAgendaItem, ToolServices, ToolTask } from './services'
import { citeWhole } from './source'
import {
  allowsKind,
  asOf,
  isNarrow,
  listSchema,
  type ReadTool,
  readOutput,
  type ToolContext,
  textOrNull,
  wordSchema,
} from './tool'

const [DEFAULT_DAYS, MAX_DAYS] = [7, 31]
/** Tasks of each list, at most: more do not fit into a result. */
const MAX_ITEMS = 50

const input = closedObject({
  from: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'Default: today' })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
})

const entry = { id: Type.String(), title: Type.String() }
const output = readOutput({
  today: Type.String(),
  overdue: listSchema({ ...entry, due: textOrNull() }),
  items: listSchema({
    ...entry,
    when: Type.String(),
    kind: wordSchema(['due', 'start']),
    projected: Type.Boolean(),
  }),
  more: Type.Boolean(),
})

export function agendaTool({ tasks }: ToolServices): ReadTool<typeof input> {
  /** Creates the test whether a narrow scope shows a task; each is read once. */
  function createFilter({ session, scope }: ToolContext) {
    const known = new Map<string, Promise<boolean>>()
    const read = async (id: string) => showsTask(scope, (await tasks.get(session, id)).resource)
    return async (id: string) => {
      if (!isNarrow(scope)) return true
      const shown = known.get(id) ?? read(id)
      known.set(id, shown)
      return shown
    }
  }

  return {
    name: 'agenda',
    title: 'Show the agenda',
    description: 'What is overdue, due or starts, day by day. To filter: list_tasks.',
    risk: 'read',
    returnsText: 'titles',
    input,
    output,
    async run({ from, days = DEFAULT_DAYS }, context) {
      const { session, scope, timeZone, now } = context
      const today = fromDay(civilOf(now, timeZone).day)
      const nothing = { today, overdue: [], items: [], more: false }
      if (!allowsKind(scope, 'task')) return { result: nothing, sources: [] }
      const first = readCivilDate(from ?? today, '/from')
      const to = fromDay(toDay(first) + days - 1)
      const agenda = await tasks.getAgenda(session, { from: first, to, ...asOf(context) })
      const overdue = agenda.overdue.filter((task) => showsTask(scope, task))
      const isShown = createFilter(context)
      const items: (ToolAgendaItem & { readonly date: string })[] = []
      for (const { date, items: all } of agenda.days)
        for (const item of all)
          if (items.length <= MAX_ITEMS && (await isShown(item.task_id))) items.push({ date, ...item })
      const shown = overdue.slice(0, MAX_ITEMS)
      return {
        result: {
          today,
          overdue: shown.map(toOverdue),
          items: items.slice(0, MAX_ITEMS).map(toListItem),
          more: items.length > MAX_ITEMS || overdue.length > MAX_ITEMS || agenda.overdue_more,
        },
        sources: shown.map(citeWhole.task),
      }
    },
  }
}

const toOverdue = ({ id, title, due }: ToolTask) => ({ id, title: clip(title), due: due && writeWhen(due) })

const toListItem = ({ task_id, title, date, time, kind, projected }: ToolAgendaItem & { readonly date: string }) => ({
  id: task_id,
  title: clip(title),
  when: writeWhen({ date, time }),
  kind,
  projected,
})
