import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { Outcome } from '../../http/idempotency'
import type { ImportReport } from '../../imports/schema'
import type { CardMemory, ReplayOptions } from '../memory'
import type { ChangeAndReplay } from '../replay'
import type { ReschedulePreview, RescheduleQuery } from './schema'

/** Makes a change of settings as ChangeAndReplay does, or with `dry_run` counts the cards that it would move. */
export type ChangeSchedule = <Body>(
  request: Request,
  session: Session,
  order: {
    /** The deck whose settings change; null: `deck_defaults`. */
    readonly deckId: string | null
    readonly query: RescheduleQuery
    readonly body: unknown
    /** Runs in a transaction, which `dry_run` rolls back. Must pass on the options. */
    readonly change: (tx: Session, options: ReplayOptions) => Promise<Outcome<Body>>
  },
) => Promise<Outcome<Body | ImportReport | ReschedulePreview>>

export function createChangeSchedule({
  changeAndReplay,
  memories,
}: {
  readonly changeAndReplay: ChangeAndReplay
  readonly memories: Pick<CardMemory, 'previewReschedule'>
}): ChangeSchedule {
  return async (request, session, { deckId, query, body, change }) => {
    const isAsked = query.reschedule === 'true'
    if (query.dry_run !== 'true')
      return changeAndReplay(request, session, { body, change, reschedule: isAsked ? { deckId } : undefined })
    if (!isAsked) throw invalid('/dry_run', 'contradiction', 'dry_run must go with reschedule')
    const preview = await memories.previewReschedule(session, change)
    return { status: 200, headers: {}, body: { dry_run: true, ...preview } }
  }
}
