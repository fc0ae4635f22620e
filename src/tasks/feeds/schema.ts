import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, nullable, pageOf, Revision } from '../../http/schema'

const closed = { additionalProperties: false }

const example = {
  id: '01980000-0000-7000-8000-0000000000f0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  name: 'Work',
  filter: 'p1 or p2',
  component: 'vevent' as const,
  include_done: false,
}
const token = 'fY3vJ9sQm1x0Zk7cTgB4aLrUeWdNpXo2HiV5nSqD8tE'

const Name = t.String({ description: 'One line of at most 100 characters, which calendar programs show.' })
const Filter = nullable(t.String({ description: 'Which tasks, like `filter` of the list; null: all open tasks.' }))
const Component = t.Union([t.Literal('vevent'), t.Literal('vtodo')], {
  description: 'Events, which every calendar program shows, or to-dos.',
  error: 'must be vevent or vtodo',
})
const IncludeDone = t.Boolean({ description: 'Also closed tasks, unless the filter names a status.' })

const members = {
  id: Id,
  revision: Revision,
  created_at: Instant,
  updated_at: Instant,
  name: t.String(),
  filter: nullable(t.String()),
  component: Component,
  include_done: IncludeDone,
}

export const CalendarFeed = t.Object(members, { examples: [example] })
export const CalendarFeedPage = pageOf(CalendarFeed)

export const NewFeed = t.Object(
  {
    ...members,
    token: t.Union([t.String(), t.Null()], {
      description: 'Shown only once: anybody who has it can read the feed. Null in a replayed response.',
    }),
    url: t.Union([t.String(), t.Null()], {
      description: 'The path to subscribe to, on this server. Shown only once.',
    }),
  },
  { examples: [{ ...example, token, url: `/api/tasks/feeds/${token}.ics` }] },
)

export const CreateFeed = t.Object(
  {
    id: t.Optional(Id),
    name: Name,
    filter: t.Optional(Filter),
    component: t.Optional(Component),
    include_done: t.Optional(IncludeDone),
  },
  { ...closed, examples: [{ name: 'Work', filter: 'p1 or p2' }] },
)

export const UpdateFeed = t.Object(
  {
    name: t.Optional(Name),
    filter: t.Optional(Filter),
    component: t.Optional(Component),
    include_done: t.Optional(IncludeDone),
  },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ include_done: true }],
  },
)

export const ListFeeds = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

export const OneFeed = t.Object({ id: Id })

/** The id of a feed, or its token and `.ics`: both have the same route. */
export const FeedOrToken = t.Object({
  id: t.String({
    pattern: `${Id.pattern}|^[^/]+\\.ics$`,
    description: 'The id of a feed, or its token and `.ics` for the calendar itself.',
    error: 'must be a UUIDv7 in lower case, or a token and .ics',
  }),
})

export type CalendarFeed = Static<typeof CalendarFeed>
export type NewFeed = Static<typeof NewFeed>
export type CreateFeed = Static<typeof CreateFeed>
export type UpdateFeed = Static<typeof UpdateFeed>
