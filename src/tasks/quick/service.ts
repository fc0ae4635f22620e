import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { dryRun } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import { requireLength } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { findFirstOccurrence } from '../../lib/recurrence/expand'
import { titleKey } from '../../lib/text'
import { readTimeContext } from '../date-words'
import { findPlacesByName, isArchived } from '../place-store'
import type { Projects } from '../projects/service'
import type { CreateTask } from '../schema'
import type { Sections } from '../sections/service'
import type { Tasks } from '../service'
import { MAX_TASK_TITLE_CHARS } from '../task'
import { parseRuleCached } from '../task-recurrence'
import { parseQuick } from './parse'
import { MAX_QUICK_TEXT_CHARS, type QuickAdd, type QuickAdded } from './schema'
import type { QuickContext, QuickDraft, QuickParse } from './types'

interface Deps extends Pick<Context, 'now'> {
  readonly tasks: Pick<Tasks, 'create'>
  readonly projects: Pick<Projects, 'create'>
  readonly sections: Pick<Sections, 'create'>
}

export type QuickAdds = ReturnType<typeof createQuickAdds>

/** Creates the service that creates tasks from one line of text. */
export function createQuickAdds({ now, tasks, projects, sections }: Deps) {
  /** Returns the project and the section of the text; creates missing ones. */
  async function findOrCreatePlaces(session: Session, { project, section }: QuickDraft, given: string | null) {
    const project_id = project
      ? (project.id ?? (await projects.create(session, { name: project.name })).resource.id)
      : given
    if (!section || project_id === null) return { project_id, section_id: null }
    const section_id = section.id ?? (await sections.create(session, { project_id, name: section.name })).resource.id
    return { project_id, section_id }
  }

  async function createTask(session: Session, parse: QuickParse, given: string | null): Promise<Tagged<QuickAdded>> {
    const { title, draft, warnings } = parse
    const { project: _, section: __, ...members } = draft
    const places = await findOrCreatePlaces(session, draft, given)
    const { resource, etag } = await tasks.create(session, { title, ...members, ...places } as CreateTask)
    const made = { project: places.project_id, section: places.section_id } as const
    const spans = parse.spans.map((span) =>
      span.kind === 'project' || span.kind === 'section' ? { ...span, value: made[span.kind] } : span,
    )
    return { etag, resource: { task: resource, spans, warnings: [...warnings] } }
  }

  return {
    /** Creates the task of a text; a dry run shows it. Throws invalid_request, empty_title, and like `tasks.create`. */
    async add(session: Session, input: QuickAdd): Promise<Tagged<QuickAdded>> {
      requireLength(input.text, MAX_QUICK_TEXT_CHARS, '/text')
      const project = input.project_id ?? null
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (project !== null && (await isArchived(db, session.workspace.id, project)))
          throw invalid('/project_id', 'archived_project', 'project_id must not be the id of an archived project')
        const parse = parseQuick(input.text, await createContext(inside, input, now()))
        if (parse.title === '') throw new ApiError('empty_title', 'The text leaves nothing for a title.')
        if ([...parse.title].length > MAX_TASK_TITLE_CHARS)
          throw invalid(
            '/text',
            'too_long',
            `what is left for the title must be at most ${MAX_TASK_TITLE_CHARS} characters`,
          )
        return input.dry_run === true
          ? dryRun(db, (tx) => createTask({ ...session, db: tx }, parse, project))
          : createTask(inside, parse, project)
      })
    },
  }
}

/** Creates the context of the parser from the current time and the workspace. */
async function createContext(session: Session, input: QuickAdd, present: number): Promise<QuickContext> {
  const context: QuickContext = {
    ...(await readTimeContext(session, input, present)),
    projectId: input.project_id ?? null,
    createMissing: input.create_missing ?? false,
    findProject: () => null,
    findSection: () => null,
    firstOccurrence: (rrule, from) => {
      const series = {
        rule: parseRuleCached(rrule).rule,
        anchor: toDay(from),
        skip: 'backward',
        exdates: new Set<number>(),
      } as const
      const first = findFirstOccurrence(series)
      return first === null ? null : fromDay(first)
    },
  }
  return /[#/]/.test(input.text) ? { ...context, ...(await createFinders(session, input.text, context)) } : context
}

/** Creates the functions that find projects and sections. Parses the text once to collect names, then looks them up. */
async function createFinders(
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
  const places = await findPlacesByName(db, workspace.id, [...names])
  const find = (project: string | null, name: string) =>
    places.find((place) => place.project_id === project && place.name_key === titleKey(name)) ?? null
  return {
    findProject: (name) => {
      const found = find(null, name)
      return found && { ...found, isArchived: found.archived_at !== null }
    },
    findSection: (project, name) => (project === null ? null : find(project, name)),
  }
}
