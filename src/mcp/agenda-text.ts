import { toDay, weekdayOf } from '../lib/civil/day'
import type { McpAgenda, McpAgendaDay } from './services'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Writes an agenda as Markdown, with the ids of the tasks, by which tools can change them. */
export function writeAgenda({ time_zone, overdue, overdue_more, days, next_from }: McpAgenda): string {
  const [first] = days
  const title = days.length === 1 && first ? `# Agenda of ${writeDay(first.date)}` : '# Agenda'
  const late = overdue.map(({ id, title: task, due }) => `- ${task} (${writeDue(due)}; task ${id})`)
  return [
    title,
    `Time zone: ${time_zone}`,
    ...section('## Overdue', late, overdue_more ? 'There are more overdue tasks.' : null),
    ...days.flatMap((day) => writeItems(day)),
    ...(next_from === null ? [] : [`There is more from ${next_from} on.`]),
  ]
    .join('\n\n')
    .concat('\n')
}

function writeItems({ date, items, more }: McpAgendaDay): string[] {
  const lines = items.map(({ task_id, title, kind, time, projected }) => {
    const what = [kind === 'start' ? 'starts' : 'due', ...(projected ? ['a later date of a repeating task'] : [])]
    return `- ${time === null ? '' : `${time} `}${title} (${what.join(', ')}; task ${task_id})`
  })
  return section(`## ${writeDay(date)}`, lines, more ? 'There are more tasks on this day.' : null, 'Nothing.')
}

/** Writes a heading and its list; nothing if the list is empty and there is no text for that. */
function section(heading: string, lines: readonly string[], end: string | null, empty?: string): string[] {
  if (lines.length === 0) return empty === undefined ? [] : [heading, empty]
  return [heading, lines.join('\n'), ...(end === null ? [] : [end])]
}

const writeDay = (date: string): string => `${WEEKDAYS[weekdayOf(toDay(date))]}, ${date}`

const writeDue = (due: { readonly date: string; readonly time: string | null } | null): string =>
  due === null ? 'no date' : `due ${due.date}${due.time === null ? '' : ` ${due.time}`}`
