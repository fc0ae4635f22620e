import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../../db/database'
import type { Outcome } from '../../../http/idempotency'
import { fingerprintOf, type ImportRuns, type ImportStep, oneByWorkspace } from '../../../http/imports'
import { SCRATCH, WITH_KEY } from '../../anki/limits'
import { lastPosition } from '../../cards/store'
import { namedDeck } from '../../decks/tree'
import { MEDIA_LIMITS } from '../../media/writer'
import { readStudy } from '../../settings/study'
import type { ParsedFact, ParsedItem } from '../parsed'
import { readUpload } from '../reading'
import type { ImportQuery, ImportReport } from '../schema'
import type { OpenDeckPaths } from './decks'
import type { ImportFact, Run } from './facts'
import type { ImportMedia } from './media'
import type { OpenNewFacts } from './new-facts'
import { Tally } from './report'
import type { ImportSettings } from './settings'

const LIMITS = { key: WITH_KEY, scratch: SCRATCH }
/** Facts, cards and tenths of log rows that are written at once; then others have their turn. */
const LOAD_PER_TURN = 50

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly runs: ImportRuns
  readonly importSettings: ImportSettings
  readonly openDecks: OpenDeckPaths
  readonly importMedia: ImportMedia
  readonly openNewFacts: OpenNewFacts
  readonly importFact: ImportFact
}

export type StudyImports = ReturnType<typeof createStudyImports>

/** Imports files of flashcards: each is read to its end first, then written in one transaction. */
export function createStudyImports({
  now,
  runs,
  importSettings,
  openDecks,
  importMedia,
  openNewFacts,
  importFact,
}: Deps) {
  async function write(
    session: Session,
    query: ImportQuery,
    items: readonly ParsedItem[],
    tally: Tally,
  ): Promise<void> {
    const base = query.deck_id === undefined ? null : await namedDeck(session, query.deck_id, '/deck_id')
    for (const item of items) if (item.kind === 'line') tally.told(item)
    for (const item of items) if (item.kind === 'settings') await importSettings(session, item, tally)
    const decks = await openDecks(session, base, tally)
    for (const item of items) if (item.kind === 'deck') await decks.at(item.path, item)
    const media = items.filter((item) => item.kind === 'media')
    const before = (await lastPosition(session.db, session.workspace.id)) ?? 0
    const run = {
      session,
      query,
      study: await readStudy(session, now()),
      decks,
      renamed: await importMedia(session, media, tally),
      tally,
      lastPosition: before,
      waiting: openNewFacts(before, tally),
      claimed: new Set<string>(),
      weights: new Map<number, readonly number[] | null>(),
    }
    await writeFacts(
      run,
      items.filter((item) => item.kind === 'fact'),
    )
  }

  /** In turns, so that readers need not wait for the transaction. */
  async function writeFacts(run: Run, facts: readonly ParsedFact[]): Promise<void> {
    let load = 0
    for (const fact of facts) {
      await importFact(run, fact)
      load += 1 + fact.cards.length + fact.log.length / 10
      if (load < LOAD_PER_TURN) continue
      load = 0
      await run.waiting.write(run.session)
      await setImmediate()
    }
    await run.waiting.write(run.session)
  }

  return {
    /**
     * Runs `work`, which receives a file and imports it, unless another import of the workspace runs, or too many do.
     * @throws Refusal busy, unavailable
     */
    admit: oneByWorkspace(runs),

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
