import type { RecordChange } from '../../db/journal'
import type { Portable } from '../../db/portable'
import { createShape } from '../../http/shape'
import { requireLength } from '../../http/values'
import { checkSyntax } from '../filter/service'
import { checkedName } from '../named/name'
import { freePosition } from '../named/order'
import { bytesOf, shownStamps } from '../named/stamps'
import { readPosition } from '../position'
import { FILTER_LENGTH, namedFilters } from '../saved-filters/service'
import { savedFilterStore } from '../saved-filters/store'
import { portableNamed } from './named'
import { PortableFilter } from './schema'
import { readStamps } from './stamps'

const toShape = createShape(PortableFilter, 'the filter')

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly record: RecordChange
}

/** Saved filters. What one names may have gone since it was written: that it can be read is enough. */
export function portableFilters(deps: Deps): Portable {
  const named = namedFilters(deps)
  return portableNamed({
    type: 'task_filter',
    store: savedFilterStore,

    told: (row): PortableFilter => ({
      ...shownStamps(row),
      filter: row.filter,
      sort: row.sort,
      position: row.position,
    }),

    async draft(session, item) {
      const { name, filter, sort, position, ...told } = toShape(item)
      requireLength(filter, FILTER_LENGTH, '/filter')
      checkSyntax(filter)
      const checked = { ...readStamps(told), ...checkedName(name), filter, sort }
      const asked = { ...checked, size_bytes: bytesOf(checked.name, filter), position: readPosition(position) }
      return { ...asked, position: await freePosition(savedFilterStore, session, asked) }
    },

    merge: named.merge,
  })
}
