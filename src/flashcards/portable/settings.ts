import type { Portable } from '../../db/portable'
import { readZone } from '../../http/civil'
import { createShape } from '../../http/shape'
import { writeInstant } from '../../http/values'
import type { Memories, Renewal } from '../reviews/memory'
import { patchedOverrides, shownOverrides } from '../settings/overrides'
import { getSettings } from '../settings/store'
import { UNCHANGED } from '../settings/study'
import type { PutStudySettings, UnsizedSettings } from '../settings/writer'
import { PortableSettings } from './schema'
import { readStamps } from './values'

const toShape = createShape(PortableSettings, 'the settings')

interface Deps {
  readonly putSettings: PutStudySettings
  readonly memories: Memories
}

/** The study settings, where somebody changed them. */
export function portableSettings({ putSettings, memories }: Deps): Portable {
  return {
    type: 'study_settings',

    async *items(db, workspace): AsyncGenerator<PortableSettings> {
      const row = await getSettings(db, workspace)
      if (!row) return
      const { revision, created_at, updated_at, time_zone, day_starts_at_hour, learn_ahead_minutes } = row
      const stamps = { revision, created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) }
      const deck_defaults = shownOverrides(JSON.parse(row.deck_defaults))
      yield { ...stamps, time_zone, day_starts_at_hour, learn_ahead_minutes, deck_defaults }
    },

    async merge(session, item) {
      const next = rowOf(toShape(item))
      const old = await getSettings(session.db, session.workspace.id)
      if ((old ?? UNCHANGED).revision >= next.revision) return 'unchanged'
      const change = () => putSettings(session, old, next)
      const isKept = (old ?? UNCHANGED).deck_defaults === next.deck_defaults
      const merged = old ? 'updated' : 'created'
      if (!isKept) return { merged, left: await memories.reweighted(session, null, change) }
      await change()
      return merged
    },

    /** Decks go by other weights since. */
    async relate(session, _, left) {
      const rest = await memories.renew(session, left as Renewal)
      return rest ? { left: rest } : []
    },
  }
}

/** Throws invalid_request. */
function rowOf(told: PortableSettings): UnsizedSettings {
  return {
    ...told,
    ...readStamps(told),
    time_zone: readZone(told.time_zone, '/time_zone'),
    deck_defaults: patchedOverrides('{}', told.deck_defaults, '/deck_defaults'),
  }
}
