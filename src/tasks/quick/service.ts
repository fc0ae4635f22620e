import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { dryRun } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import { readInstant, readZone, requireLength } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { civilOf } from '../../lib/civil/zone'
import { findFirstOccurrence } from '../../lib/recurrence/expand'
import { titleKey } from '../../lib/text'
import { placesOfNames } from '../place-store'
import type { Projects } from '../projects/service'
import type { CreateTask } from '../schema'
import type { Sections } from '../sections/service'
import { ruleOf } from '../series'
import type { Tasks } from '../service'
import { TASK_TITLE_LENGTH } from '../task'
import { parseQuick } from './parse'
import { QUICK_TEXT_LENGTH, type QuickAdd, type QuickAdded } from './schema'
import type { QuickContext, QuickDraft, QuickParse } from './types'

interface Deps extends Pick<Context, 'now'> {
  readonly tasks: Pick<Tasks, 'create'>
  readonly projects: Pick<Projects, 'create'>
  readonly sections: Pick<Sections, 'create'>
}

export type QuickAdds = ReturnType<typeof createQuickAdds>

/** Words that become tasks. */
export function createQuickAdds({ now, tasks, projects, sections }: Deps) {
  /** Makes what the text names and is not there. */
  async function placesOf(session: Session, { project, section }: QuickDraft, given: string | null) {
    const project_id = project
      ? (project.id ?? (await projects.create(session, { name: project.name })).resource.id)
      : given
    if (!section || project_id === null) return { project_id, section_id: null }
    const section_id = section.id ?? (await sections.create(session, { project_id, name: section.name })).resource.id
    return { project_id, section_id }
  }

  async function add(session: Session, parse: QuickParse, given: string | null): Promise<Tagged<QuickAdded>> {
    const { title, draft, warnings } = parse
    const { project: _, section: __, ...members } = draft
    const places = await placesOf(session, draft, given)
    const { resource, etag } = await tasks.create(session, { title, ...members, ...places } as CreateTask)
    const made = { project: places.project_id, section: places.section_id } as const
    const spans = parse.spans.map((span) =>
      span.kind === 'project' || span.kind === 'section' ? { ...span, value: made[span.kind] } : span,
    )
    return { etag, resource: { task: resource, spans, warnings: [...warnings] } }
  }

  return {
    /** Makes the task that the text says; a dry run shows it. Throws invalid_request, empty_title, and as creating does. */
    async add(session: Session, asked: QuickAdd): Promise<Tagged<QuickAdded>> {
      requireLength(asked.text, QUICK_TEXT_LENGTH, '/text')
      const project = asked.project_id ?? null
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const parse = parseQuick(asked.text, await contextOf(within, asked, now()))
        if (parse.title === '') throw new ApiError('empty_title', 'Nothing of the text is left for a title.')
        if ([...parse.title].length > TASK_TITLE_LENGTH)
          throw invalid(
            '/text',
            'too_long',
            `what is left for the title must be at most ${TASK_TITLE_LENGTH} characters`,
          )
        return asked.dry_run === true
          ? dryRun(db, (tx) => add({ ...session, db: tx }, parse, project))
          : add(within, parse, project)
      })
    },
  }
}

/** What the parser needs of the moment and of the workspace. */
async function contextOf(session: Session, asked: QuickAdd, present: number): Promise<QuickContext> {
  const time_zone = asked.time_zone ? readZone(asked.time_zone, '/time_zone') : null
  const at = asked.now ? readInstant(asked.now, '/now') : present
  const { day, minutes } = civilOf(at, time_zone ?? 'UTC')
  const context: QuickContext = {
    today: fromDay(day),
    minutes,
    time_zone,
    dateOrder: asked.date_order ?? null,
    projectId: asked.project_id ?? null,
    createMissing: asked.create_missing ?? false,
    findProject: () => null,
    findSection: () => null,
    firstOccurrence: (rrule, from) => {
      const series = {
        rule: ruleOf(rrule).rule,
        anchor: toDay(from),
        skip: 'backward',
        exdates: new Set<number>(),
      } as const
      const first = findFirstOccurrence(series)
      return first === null ? null : fromDay(first)
    },
  }
  return /[#/]/.test(asked.text) ? { ...context, ...(await findersOf(session, asked.text, context)) } : context
}

/** The text is read once to learn which names it asks for; those are then looked up together. */
async function findersOf(
  { db, workspace }: Session,
  text: string,
  context: QuickContext,
): Promise<Pick<QuickContext, 'findProject' | 'findSection'>> {
  const names = new Set<string>()
  const ask = (name: string) => {
    names.add(titleKey(name))
    return { id: '', name }
  }
  parseQuick(text, { ...context, findProject: ask, findSection: (_, name) => ask(name) })
  const places = await placesOfNames(db, workspace.id, [...names])
  const find = (project: string | null, name: string) =>
    places.find((place) => place.project_id === project && place.name_key === titleKey(name)) ?? null
  return {
    findProject: (name) => find(null, name),
    findSection: (project, name) => (project === null ? null : find(project, name)),
  }
}
