/** What became of texts that were changed here and elsewhere. Conflicts are rare: what keeps both is loaded when it is needed. */
import { signal } from '@preact/signals'
import type { KeeperDeps, KeptText, MergedText, ReplacedTitle, Told } from './keep-texts'
import type { RefusedWrite } from './outbox'

const load = () => import('./keep-texts')

export function createKeeper(deps: KeeperDeps) {
  const told: Told = {
    kept: signal<readonly KeptText[]>([]),
    merged: signal<MergedText | null>(null),
    replaced: signal<readonly ReplacedTitle[]>([]),
  }

  return {
    ...told,

    /** Loads what is needed for a conflict, as long as the server is there. */
    load: () => void load().catch(() => null),

    /**
     * Reads what is needed to keep the texts of refused writes. What it resolves with keeps one of them, and returns false if it
     * has none, or was refused for another reason.
     * @throws Unreachable, Refused: nobody can be asked now
     */
    async prepare(refused: readonly RefusedWrite[]): Promise<(write: RefusedWrite) => Promise<boolean>> {
      if (refused.length === 0) return async () => false
      const loaded = await load().catch(() => null)
      // A browser does not ask again for what it could not load: what was typed is given back to the person.
      return loaded ? loaded.createTextKeeper(deps, told).prepare(refused) : async () => false
    },
  }
}
