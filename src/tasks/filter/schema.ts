import { t } from 'elysia'
import { TIME_LANGUAGES } from '../../lib/civil/words/read'

export const filterQuery = {
  language: t.Optional(
    t.Union(
      TIME_LANGUAGES.map((language) => t.Literal(language)),
      {
        description: 'The language of dates in the filter, besides English. Default: that of the workspace.',
        error: 'must be en, de, fr or es',
      },
    ),
  ),
  date_order: t.Optional(
    t.Union([t.Literal('dmy'), t.Literal('mdy')], {
      description: 'How to read `03/04` in the filter. Without it, such a date is not read.',
      error: 'must be dmy or mdy',
    }),
  ),
  filter: t.Optional(t.String({ description: 'Only tasks that match, e.g. `(today or overdue) and @home`.' })),
  filter_id: t.Optional(t.String({ description: 'The id of a saved filter, instead of `filter`.' })),
}
