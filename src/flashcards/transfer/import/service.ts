import { setImmediate } from 'node:timers/promises'
import type { Session, WorkspaceId } from '../../../db/database'
import type { Outcome } from '../../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep } from '../../../http/imports'
import { Refusal } from '../../../http/problem'
import { SCRATCH, WITH_KEY } from '../../anki/limits'
import { lastPosition } from '../../cards/store'
import { namedDeck } from '../../decks/tree'
import { MEDIA_LIMITS } from '../../media/writer'
import { readStudy } from '../../settings/study'
import type { ParsedFact, ParsedItem } from '../parsed'
import { readUpload } from '../reading'
import type { ImportQuery, ImportReport } from '../schema'
import type { OpenDeckPaths } from './decks'
import type { ImportFact } from './facts'
import type { ImportMedia } from './media'
import { Tally } from './report'
import type { ImportSettings } from './settings'

const LIMITS = { key: WITH_KEY, scratch: SCRATCH }
/** Cards and hundreds of log rows after which an import lets others have their turn. */
const CARDS_PER_TURN = 20

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly runs: ImportRuns
  readonly importSettings: ImportSettings
  readonly openDecks: OpenDeckPaths
  readonly importMedia: ImportMedia
  readonly importFact: ImportFact
}

export type StudyImports = ReturnType<typeof createStudyImports>

/** Imports files of flashcards: each is read to its end first, then written in one transaction. */
export function createStudyImports({ now, runs, importSettings, openDecks, importMedia, importFact }: Deps) {
  const busy = new Set<WorkspaceId>()

  async function write(session: Session, query: ImportQuery, items: readonly ParsedItem[], tally: Tally): Promise<void> {
    const base = query.deck_id === undefined ? null : await namedDeck(session, query.deck_id, '/deck_id')
    for (const item of items) if (item.kind === 'line') tally.told(item)
    for (const item of items) if (item.kind === 'settings') await importSettings(session, item, tally)
    const decks = await openDecks(session, base, tally)
    for (const item of items) if (item.kind === 'deck') await decks.at(item.path, item)
    const media = items.filter((item) => item.kind === 'media')
    const run = {
      session,
      query,
      study: await readStudy(session, now()),
      decks,
      renamed: await importMedia(session, media, tally),
      tally,
      lastPosition: (await lastPosition(session.db, session.workspace.id)) ?? 0,
      claimed: new Set<number>(),
      weights: new Map<number, readonly number[] | null>(),
    }
    const facts = items.filter((item) => item.kind === 'fact')
    await inTurns(facts, (item) => importFact(run, item))
  }

  return {
    /**
     * Runs `work`, which receives a file and imports it, unless another import of the workspace runs, or too many do.
     * @throws Refusal busy, unavailable
     */
    async admit<T>({ workspace }: Session, work: () => Promise<T>): Promise<T> {
      if (busy.has(workspace.id))
        throw new Refusal('busy', 'Another import of this workspace is running. Wait until it is done.')
      busy.add(workspace.id)
      try {
        return await runs.admit(work)
      } finally {
        busy.delete(workspace.id)
      }
    },

    /** Throws what `readUpload` throws, and quota_exceeded: then nothing was changed. The bytes are used up. */
    async import(
      request: Request,
      session: Session,
      query: ImportQuery,
      bytes: Uint8Array,
    ): Promise<Outcome<ImportReport>> {
      const dryRun = query.dry_run === 'true'
      const fingerprint = fingerprintOf(bytes)
      const stored = await runs.recalled<ImportReport>({ request, session, dryRun }, fingerprint)
      if (stored) return stored
      const { kind } = session.workspace
      const items = await readUpload({ format: query.format, bytes }, LIMITS[kind], MEDIA_LIMITS[kind].all, now)
      const tally = new Tally()
      const steps = one((within) => write(within, query, items, tally))
      return runs.run({ request, session, fingerprint, dryRun, steps, report: () => tally.report(dryRun) })
    },
  }
}

async function* one(step: ImportStep): AsyncGenerator<ImportStep> {
  yield step
}

/** One after the other, in a transaction that readers need not wait for. */
async function inTurns(facts: readonly ParsedFact[], work: (fact: ParsedFact) => Promise<void>): Promise<void> {
  let load = 0
  for (const fact of facts) {
    await work(fact)
    load += 1 + fact.cards.length + fact.log.length / 100
    if (load < CARDS_PER_TURN) continue
    load = 0
    await setImmediate()
  }
}
