import { Elysia } from 'elysia'
import type { Context, Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import type { ImportKind, Line, Pass, Step, StoredItem } from '../../imports/kind'
import type { ImportOrder } from '../../imports/receive-import'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { getLastPosition } from '../cards/card-store'
import type { StudyContext } from '../context'
import { requireUntrashedDeck } from '../decks/deck'
import { readStudy } from '../decks/study'
import { findNoteTypeByHash } from '../facts/note-type-store'
import type { ParsedNoteType } from '../formats/parsed'
import type { OpenDeckPaths } from './decks'
import type { FactStep, ImportFact } from './facts'
import { ItemReport } from './item-report'
import { findRenamedMedia, type ImportMedia } from './media'
import type { OpenNewFacts } from './new-facts'
import type { ImportItem, StoredMedia } from './read-file'
import { type ImportParams, ImportQuery } from './schema'

type ImportNoteType = (session: Session, item: ParsedNoteType, report: ItemReport) => Promise<void>

/** One with the same content that the workspace has is kept, and gets the settings if it has none. */
export function createNoteTypeImport({ now, ids, noteTypeWriter }: StudyContext): ImportNoteType {
  return async (session, { hash, noteType }, report) => {
    const known = await findNoteTypeByHash(session, hash)
    const at = now()
    const isFuller = known?.settings === null && noteType.settings !== null
    if (known && isFuller) await noteTypeWriter.addSettings(session, known, noteType.settings, at)
    if (known) return report.setResult(isFuller ? 'updated' : 'unchanged', known.id)
    const stamps = { id: ids(), revision: 1, created_at: at, updated_at: at }
    report.setResult('created', (await noteTypeWriter.insert(session, stamps, noteType)).id)
  }
}

interface Deps extends Pick<Context, 'now'> {
  readonly openDecks: OpenDeckPaths
  readonly importMedia: ImportMedia
  readonly importNoteType: ImportNoteType
  readonly openNewFacts: OpenNewFacts
  readonly importFact: ImportFact
}

const NAME = 'flashcards'
/** Items of a step that are placed one by one, which takes longer for each. */
const ITEMS_ONE_BY_ONE = 16

/**
 * Creates the order of an import from its query.
 * @throws ApiError invalid_request for an unknown deck
 */
async function createStudyImportOrder(session: Session, { dry_run, ...query }: ImportQuery): Promise<ImportOrder> {
  if (query.deck_id !== undefined) await requireUntrashedDeck(session, query.deck_id, '/deck_id')
  const params = async (): Promise<ImportParams> => {
    const { workspace } = session
    return { ...query, workspace: workspace.kind, behind: (await getLastPosition(session)) ?? 0 }
  }
  return { kind: NAME, types: null, form: true, dryRun: dry_run === 'true', params }
}

type Items = readonly StoredItem<ImportItem>[]
type ImportStep = Step<ImportParams>

/** Creates the import of flashcards: decks and media first, since facts refer to them. */
export function createStudyImport(deps: Deps): ImportKind<ImportParams, ImportItem> {
  const pass =
    (place: typeof placeFacts): Pass<ImportParams, ImportItem> =>
    (step, items) =>
      placeWithinQuota(step, items, (some, tx) => place(deps, tx, some))
  return {
    name: NAME,
    reader: new URL('./worker.ts', import.meta.url),
    passes: [pass(placeOthers), pass(placeFacts)],
  }
}

/** Places all items at once; over the quota the first ITEMS_ONE_BY_ONE singly, so that one too large fails alone. */
async function placeWithinQuota(
  step: ImportStep,
  items: Items,
  place: (items: Items, step: ImportStep) => Promise<(Line | null)[]>,
): Promise<(Line | null)[]> {
  const attempt = (some: Items, hasMet = step.hasMet) =>
    step.session.db.transaction((db) => place(some, { ...step, session: { ...step.session, db }, hasMet }))
  try {
    return await attempt(items)
  } catch (error) {
    requireQuotaError(error)
  }
  const lines: (Line | null)[] = []
  const hasMet = (id: string) => lines.some((line) => line?.id === id) || step.hasMet(id)
  for (const item of items.slice(0, ITEMS_ONE_BY_ONE)) {
    lines.push(...(await attempt([item], hasMet).catch(failedBy(item))))
    if (lines.at(-1)?.again) break
  }
  return lines
}

function failedBy({ value }: Items[number]): (error: unknown) => Line[] {
  return (error) => {
    const { code, detail } = requireQuotaError(error)
    const warnings = value.kind === 'fact' ? (value.warnings ?? []) : []
    return [{ action: 'failed', id: null, warnings: [...warnings, { code, detail }] }]
  }
}

/** Returns the error if it is quota_exceeded. Rethrows any other. */
function requireQuotaError(error: unknown): ApiError {
  if (error instanceof ApiError && error.code === 'quota_exceeded') return error
  throw error
}

async function placeOthers(deps: Deps, step: ImportStep, items: Items): Promise<(Line | null)[]> {
  const { session, params } = step
  const decks = await deps.openDecks(session, params.deck_id)
  const lines: (Line | null)[] = []
  for (const item of items) {
    // The value of an item is parsed when it is read, and most are facts.
    if (item.type === 'fact') {
      lines.push(null)
      continue
    }
    const report = new ItemReport()
    const { value } = item
    if (value.kind === 'deck') await decks.importDeck(value, report)
    if (value.kind === 'note_type') await deps.importNoteType(session, value, report)
    if (value.kind === 'media') await deps.importMedia(step, item as StoredItem<StoredMedia>, report)
    const { line } = report
    lines.push(line)
    if (line.again) break
  }
  return lines
}

async function placeFacts(deps: Deps, step: ImportStep, items: Items): Promise<(Line | null)[]> {
  if (!items.some(({ type }) => type === 'fact')) return items.map(() => null)
  const tx = await createFactStep(deps, step)
  const reports: (ItemReport | null)[] = []
  for (const [index, { seq, value }] of items.entries()) {
    const earlier = index === 0 ? step.line(seq) : null
    const begun = earlier?.again ? earlier : null
    const report = value.kind === 'fact' ? new ItemReport(begun ?? { warnings: value.warnings ?? [] }) : null
    reports.push(report)
    if (value.kind === 'fact' && report) await deps.importFact(tx, value, report, begun?.id ?? null)
    if (report?.line.again) break
  }
  await tx.newFacts.write(step.session)
  return reports.map((report) => report?.line ?? null)
}

async function createFactStep({ now, openDecks, openNewFacts }: Deps, step: ImportStep): Promise<FactStep> {
  const { session, params } = step
  return {
    session,
    params,
    study: await readStudy(session, now()),
    decks: await openDecks(session, params.deck_id),
    findRenamed: findRenamedMedia(step),
    newFacts: openNewFacts(params.behind, (await getLastPosition(session)) ?? 0),
    hasMet: step.hasMet,
    claimed: new Set(),
    settings: new Map(),
    noteTypes: new Map(),
  }
}

/** The path whose bodies are files, and are not parsed as JSON; see apiBasics. */
export const IMPORT_PATH = '/api/flashcards/import'

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

export function importFlashcardsRoutes({ imports, api }: { imports: Pick<Imports, 'receive'>; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards in and out'] })
    .use(api)
    .post(
      '/import',
      async ({ request, query, session, reply }) =>
        reply.send(await imports.receive(request, session, await createStudyImportOrder(session, query))),
      {
        query: ImportQuery,
        response: { 200: ImportReport, 202: ImportReport },
        detail: {
          operationId: 'importFlashcards',
          ...refuses('archive_refused', 'invalid_package', 'unsupported_package'),
          summary: 'Import flashcards',
          description:
            'Takes the file as the body, of any Content-Type, or as the one part `file` of multipart/form-data: an Anki package, CSV or tabs. Each deck, medium and fact has an outcome in the report, which also counts `card` and `review`; `dry_run` reports what would change. Existing cards keep their schedule and their log; answers in a package that they lack are put into the log at their time, and the card is recomputed (not with `scheduling=drop`: use that for packages of other people). A file may be gzip. Items beyond the quota fail.',
          requestBody: {
            required: true,
            content: {
              'application/octet-stream': { schema: file },
            },
          },
        },
      },
    )
}
