import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import { type Context, dryRun, type Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, invalid, refuses } from '../../http/api-error'
import { changed, type Outcome, type Tagged } from '../../http/responses'
import { closed, Id, nameSchemas, nullable, Problem } from '../../http/schema'
import { requireLength } from '../../http/values'
import type { TimeContext } from '../../lib/civil/words/read'
import { findFirstDate } from '../../lib/recurrence/slots'
import { titleKey } from '../../lib/text'
import { readTimeContext } from '../date-words'
import { taskExample } from '../examples'
import { findGroups, type GroupMatch } from '../filter/names-store'
import type { Projects } from '../groups/projects'
import type { Sections } from '../groups/sections'
import { isArchived } from '../place-store'
import { type CreateTask, RecurrenceCreated, Reminder, Task, wordSettings } from '../schema'
import type { Tasks } from '../service'
import { MAX_TASK_TITLE_CHARS } from '../task'
import type { QuickContext, QuickDraft, QuickParse, QuickSpan } from './parse'

/** The most code points of a text. */
const MAX_QUICK_TEXT_CHARS = 1000

export const QuickAdd = t.Object(
  {
    text: t.String({ description: `At most ${MAX_QUICK_TEXT_CHARS} characters.` }),
    dry_run: t.Optional(t.Boolean({ description: 'Only shows what would be created.' })),
    project_id: t.Optional(nullable(Id)),
    create_missing: t.Optional(t.Boolean({ description: 'Creates projects and sections that do not exist yet.' })),
    ...wordSettings,
  },
  {
    ...closed,
    examples: [{ text: 'Pay rent #Home @bills !2 every month on the 31st at 9am', time_zone: 'Europe/Berlin' }],
  },
)

const offset = Type.Integer({ minimum: 0 })
const where = { start: offset, end: offset, text: t.String() }

const SpanValue = t.Unsafe<QuickSpan['value']>(
  t.Union([t.String(), Type.Number(), Reminder, RecurrenceCreated, t.Null()], {
    description: 'The value it set: an id, a name, a number, a date, a time, a reminder or the recurrence.',
  }),
)

export const QuickAdded = t.Object(
  {
    task: Task,
    spans: t.Array(
      t.Object({
        ...where,
        kind: t.String({
          description: 'project, section, label, priority, duration, reminder, recurrence, date, time or escape.',
        }),
        value: SpanValue,
      }),
      { description: 'The parts that were understood, in order. Offsets count characters (code points).' },
    ),
    warnings: t.Array(t.Object({ ...where, code: t.String(), detail: t.String() }), {
      description: 'Parts that look like e.g. a date, but stayed in the title.',
    }),
  },
  {
    examples: [
      {
        task: taskExample,
        spans: [{ start: 16, end: 22, kind: 'label', text: '@bills', value: 'bills' }],
        warnings: [],
      },
    ],
  },
)

export type QuickAdd = Static<typeof QuickAdd>
export type QuickAdded = Static<typeof QuickAdded>

interface Deps extends Pick<Context, 'now'> {
  readonly tasks: Pick<Tasks, 'create'>
  readonly projects: Pick<Projects, 'create'>
  readonly sections: Pick<Sections, 'create'>
}

type QuickAdds = ReturnType<typeof createQuickAdds>

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
    const { parseQuick } = await import('./parse')
    const time = await readTimeContext(session, input, now())
    const parse: Parse = (finders) => parseQuick(input.text, { ...toContext(input, time), ...finders })
    const places = await findPlaces(session, input, parse)
    return { places, parse, parsed: requireTitle(parse(findAmong(places))) }
  }

  return {
    read,

    /** A dry run shows the task. Throws like `read` and `tasks.create`. @param reading the text, if read before */
    async add(session: Session, input: QuickAdd, reading?: QuickReading): Promise<Tagged<QuickAdded>> {
      const { places, parse, parsed } = reading ?? (await read(session, input))
      const project = input.project_id ?? null
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        if (project !== null && (await isArchived(inside, project)))
          throw invalid('/project_id', 'archived_project', 'project_id must not be the id of an archived project')
        const current = await findNamed(inside, places)
        // Meanwhile another request may have made or deleted one of the places.
        const same = JSON.stringify(current.found) === JSON.stringify(places.found)
        const latest = same ? parsed : requireTitle(parse(findAmong(current)))
        return input.dry_run === true
          ? dryRun(db, (tx) => createTask({ ...session, db: tx }, latest, project))
          : createTask(inside, latest, project)
      })
    },
  }
}

type Finders = Pick<QuickContext, 'findProject' | 'findSection'>
/** Parses the text of a request. */
type Parse = (finders: Finders) => QuickParse

interface QuickReading {
  readonly places: Places
  readonly parse: Parse
  /** The text as these places make it. */
  readonly parsed: QuickParse
}

/** The projects and sections that a text names: the keys of all names, and those that there are. */
interface Places {
  readonly keys: readonly string[]
  readonly found: readonly GroupMatch[]
}

/** Throws empty_title, invalid_request. */
function requireTitle(parse: QuickParse): QuickParse {
  if (parse.title === '') throw new ApiError('empty_title', 'The text leaves nothing for a title.')
  if ([...parse.title].length <= MAX_TASK_TITLE_CHARS) return parse
  throw invalid('/text', 'too_long', `what is left for the title must be at most ${MAX_TASK_TITLE_CHARS} characters`)
}

/** Finds the places that a text names. Parses it once to collect the names. */
async function findPlaces(session: Session, input: QuickAdd, parse: Parse): Promise<Places> {
  const nothing: Places = { keys: [], found: [] }
  if (!/[#/]/.test(input.text)) return nothing
  const names = new Set<string>()
  const ask = (name: string) => {
    names.add(titleKey(name))
    return { id: '', name }
  }
  parse({ findProject: ask, findSection: (_, name) => ask(name) })
  return findNamed(session, { ...nothing, keys: [...names] })
}

async function findNamed(session: Session, { keys }: Places): Promise<Places> {
  return { keys, found: keys.length === 0 ? [] : await findGroups(session, { project: keys, section: keys }) }
}

function toContext({ project_id = null, create_missing = false }: QuickAdd, time: TimeContext) {
  return { ...time, projectId: project_id, createMissing: create_missing, firstOccurrence: findFirstDate }
}

function findAmong({ found }: Places): Finders {
  const find = (project: string | null, name: string) =>
    found.find((place) => place.project_id === project && place.name_key === titleKey(name)) ?? null
  return {
    findProject: (name) => {
      const project = find(null, name)
      return project && { ...project, isArchived: project.archived_at !== null }
    },
    findSection: (project, name) => (project === null ? null : find(project, name)),
  }
}

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
