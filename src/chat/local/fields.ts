import { fold } from '../../search/fold'
import type { FoundText } from '../../search/service'
import type { ToolServices } from '../../tools/services'
import { citeWhole } from '../../tools/source'
import type { EngineRun } from '../engine'
import type { ParsedRequest } from '../request'
import type { ChatQuestion } from './question'
import { term, write } from './replies'
import type { Acting } from './targets'

/** Reads the days that words name, both included, as YYYY-MM-DD; null if they name none. */
export type ReadPeriod = (
  words: string,
  ask: Pick<ParsedRequest, 'timeZone' | 'languages'>,
) => { readonly first: string; readonly last: string } | null

export interface FieldDeps {
  readonly readPeriod: ReadPeriod
  readonly tasks: Pick<ToolServices['tasks'], 'get' | 'listProjects'>
}

/** What a question asks of one task or card, folded. */
const ASKS_OF = {
  project: /\bproject\b|\bprojekt\b|\bprojet\b|\bproyecto\b/,
  priority: /\bpriorit|\bprioridad|how (?:urgent|important)\b|wie (?:dringend|wichtig)\b/,
  repeat: /\bhow often\b|\brepeat|\bwie oft\b|\bwiederhol|\bcombien de fois\b|\bse repete|\bcada cuanto\b|\bse repite/,
  due: /\bdue\b|\bdeadline\b|\bfallig|\bfrist\b|\becheance\b|pour quand|para cuando|\bvence|\btoca\b/,
  done: /^(?:is|are|has|have|did|was|were|ist|sind|hab|habe|hat|wurde|est-ce que|est|ai-je|j'ai|he|has|ha|esta|ya)\b/,
  deck: /\bdeck\b|\bstapel\b|\bpaquet\b|\bmazo\b/,
} as const
type Field = keyof typeof ASKS_OF

/** Tells what a question asks of a task or card; null for nothing of this kind. */
export function readField(message: string, { wanted }: ChatQuestion): Field | null {
  const text = fold(message).replace(/[¿¡]/g, '').trim()
  const found = (Object.keys(ASKS_OF) as Field[]).find((field) => ASKS_OF[field].test(text))
  return found ?? (wanted === 'time' || wanted === 'clock' ? 'due' : null)
}

/** Words that name fields or what has them, folded; they are no words of a title. */
export const FIELD_WORDS =
  /^(?:due|deadline|project|projects|priority|deck|card|cards|task|tasks|todo|done|finished|completed|already|yet|next|supposed|fallig|frist|projekt|prioritat|stapel|karte|aufgabe|erledigt|schon|projet|priorite|paquet|carte|tache|fait|faite|proyecto|prioridad|mazo|tarjeta|tarea|hecho|hecha|vence|toca|going|remind|reminder)$/

/** Says a field of the task that was found, with its mark. */
export async function sayTask(
  { tasks }: FieldDeps,
  { run, language }: Acting,
  found: Pick<FoundText, 'id'>,
  field: Field | null,
): Promise<void> {
  const { resource: task } = await tasks.get(run.session, found.id)
  const mark = ` [${run.cite(citeWhole.task(task))}]`
  const due = task.due && `${task.due.date}${task.due.time ? ` at ${task.due.time}` : ''}`
  const when = due ? write(language, 'due', task.title, due) : write(language, 'undue', task.title)
  if (field === 'done') {
    const isDone = task.status === 'done'
    const more = isDone
      ? ` (${task.completed_at?.slice(0, 10) ?? ''})`
      : due
        ? ` (${term(language, 'due')} ${due})`
        : ''
    run.say(write(language, isDone ? 'isDone' : 'isOpen', task.title, more) + mark)
  } else if (field === 'project') {
    const projects = task.project_id ? await listProjects({ tasks }, run) : []
    const name = projects.find(({ id }) => id === task.project_id)?.name
    run.say((name ? write(language, 'inProject', task.title, name) : write(language, 'noProject', task.title)) + mark)
  } else if (field === 'priority') run.say(write(language, 'level', task.title, task.priority) + mark)
  else if (field === 'repeat') {
    const rule = task.recurrence && writeRule(task.recurrence.rrule)
    run.say((rule ? write(language, 'repeats', task.title, rule) : write(language, 'once', task.title)) + mark)
  } else run.say(when + mark)
}

/** Writes a recurrence rule for people: `every 2 weeks on TH`. */
function writeRule(rrule: string): string {
  const parts = Object.fromEntries(rrule.split(';').map((part) => part.split('=') as [string, string]))
  const unit = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year', HOURLY: 'hour' }[parts.FREQ ?? '']
  const every = parts.INTERVAL && parts.INTERVAL !== '1' ? `${parts.INTERVAL} ${unit}s` : unit
  const on = [parts.BYDAY, parts.BYMONTHDAY].filter((one) => one !== undefined).join(' ')
  return `every ${every}${on === '' ? '' : ` on ${on}`}`
}

export async function listProjects({ tasks }: Pick<FieldDeps, 'tasks'>, { session }: EngineRun) {
  return (await tasks.listProjects(session, { limit: '200' })).items
}
