import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { dryRun } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import { requireLength } from '../../http/values'
import type { TimeContext } from '../../lib/civil/words/read'
import { titleKey } from '../../lib/text'
import { readTimeContext } from '../date-words'
import { findPlacesByName, isArchived } from '../place-store'
import type { Projects } from '../projects/service'
import type { CreateTask } from '../schema'
import type { Sections } from '../sections/service'
import type { Tasks } from '../service'
import { MAX_TASK_TITLE_CHARS } from '../task'
import { findFirstDate } from './first-date'
import { parseQuick } from './parse'
import { MAX_QUICK_TEXT_CHARS, type QuickAdd, type QuickAdded } from './schema'
import type { QuickContext, QuickDraft, QuickParse } from './types'

interface Deps extends Pick<Context, 'now'> {
  readonly tasks: Pick<Tasks, 'create'>
  readonly projects: Pick<Projects, 'create'>
  readonly sections: Pick<Sections, 'create'>
}

export type QuickAdds = ReturnType<typeof createQuickAdds>

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

  /** Reads a text before the transaction that creates its task: it may take 20 ms. Throws invalid_request, empty_title. */
  async function read(session: Session, input: QuickAdd): Promise<QuickReading> {
    requireLength(input.text, MAX_QUICK_TEXT_CHARS, '/text')
    const time = await readTimeContext(session, input, now())
    const places = await findPlaces(session, input, time)
    return { time, places, parse: requireTitle(parseQuick(input.text, createContext(input, time, places))) }
  }

  return {
    read,

    /**
     * Creates the task of a text; a dry run shows it. Throws like `read` and like `tasks.create`.
     * @param reading the text, if it was read before
     */
    async add(session: Session, input: QuickAdd, reading?: QuickReading): Promise<Tagged<QuickAdded>> {
      const { time, places, parse } = reading ?? (await read(session, input))
      const project = input.project_id ?? null
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (project !== null && (await isArchived(db, session.workspace.id, project)))
          throw invalid('/project_id', 'archived_project', 'project_id must not be the id of an archived project')
        const current = await findNamed(inside, places)
        // Meanwhile another request may have made or deleted one of the places.
        const same = JSON.stringify(current.found) === JSON.stringify(places.found)
        const latest = same ? parse : requireTitle(parseQuick(input.text, createContext(input, time, current)))
        return input.dry_run === true
          ? dryRun(db, (tx) => createTask({ ...session, db: tx }, latest, project))
          : createTask(inside, latest, project)
      })
    },
  }
}

/** A text that was read, and what it was read with. */
interface QuickReading {
  readonly time: TimeContext
  readonly places: Places
  readonly parse: QuickParse
}

/** The projects and sections that a text names: the keys of all names, and those that there are. */
interface Places {
  readonly keys: readonly string[]
  readonly found: Awaited<ReturnType<typeof findPlacesByName>>
}

/** Throws empty_title, invalid_request. */
function requireTitle(parse: QuickParse): QuickParse {
  if (parse.title === '') throw new ApiError('empty_title', 'The text leaves nothing for a title.')
  if ([...parse.title].length <= MAX_TASK_TITLE_CHARS) return parse
  throw invalid('/text', 'too_long', `what is left for the title must be at most ${MAX_TASK_TITLE_CHARS} characters`)
}

/** Finds the places that a text names. Parses it once to collect the names. */
async function findPlaces(session: Session, input: QuickAdd, time: TimeContext): Promise<Places> {
  const nothing: Places = { keys: [], found: [] }
  if (!/[#/]/.test(input.text)) return nothing
  const names = new Set<string>()
  const ask = (name: string) => {
    names.add(titleKey(name))
    return { id: '', name }
  }
  const context = createContext(input, time, nothing)
  parseQuick(input.text, { ...context, findProject: ask, findSection: (_, name) => ask(name) })
  return findNamed(session, { ...nothing, keys: [...names] })
}

async function findNamed({ db, workspace }: Session, { keys }: Places): Promise<Places> {
  return { keys, found: keys.length === 0 ? [] : await findPlacesByName(db, workspace.id, keys) }
}

function createContext(input: QuickAdd, time: TimeContext, { found }: Places): QuickContext {
  const find = (project: string | null, name: string) =>
    found.find((place) => place.project_id === project && place.name_key === titleKey(name)) ?? null
  return {
    ...time,
    projectId: input.project_id ?? null,
    createMissing: input.create_missing ?? false,
    findProject: (name) => {
      const project = find(null, name)
      return project && { ...project, isArchived: project.archived_at !== null }
    },
    findSection: (project, name) => (project === null ? null : find(project, name)),
    firstOccurrence: findFirstDate,
  }
}
