import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Session } from '../db/database'
import { SETTINGS_ID } from '../db/settings-store'
import type { RequestPlugin } from '../http/api'
import { hasMembers } from '../http/resource'
import { changed, ifMatch, type Precondition, requireRevision, type Tagged, writeEtag } from '../http/responses'
import { Id, Instant, NoContent, nameSchemas, nullable, Problem, Revision } from '../http/schema'
import { readZone, writeInstant } from '../http/values'
import { ImportReport, IN_STEPS } from '../imports/schema'
import type { StudyContext } from './context'
import { patchOverrides, withoutDefaults } from './decks/deck'
import { DeckOverrides, EffectiveSettings, PatchOverrides } from './decks/deck-schema'
import { DEFAULT_STUDY_SETTINGS, getSettings, readDefaults, type SettingsRow } from './decks/study'
import { type ChangeSchedule, ReschedulePreview, RescheduleQuery } from './rescheduling'
import type { DeferReplay } from './reviews/memory'
import { DEFAULT_SETTINGS } from './scheduling/settings'

const Zone = t.String({ description: 'The IANA time zone of study days.', examples: ['Europe/Lisbon'] })
const Hour = Type.Integer({ minimum: 0, maximum: 23, description: 'When a study day begins.' })
const Ahead = Type.Integer({
  minimum: 0,
  maximum: 1439,
  description: 'How many minutes before it is due a learning card may be shown.',
})

export const StudySettings = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: t.Union([Instant, t.Null()], { description: 'Null while nothing was ever changed.' }),
    updated_at: nullable(Instant),
    time_zone: Zone,
    day_starts_at_hour: Hour,
    learn_ahead_minutes: Ahead,
    deck_defaults: EffectiveSettings,
  },
  {
    examples: [
      {
        id: '00000000-0000-7000-8000-000000000000',
        revision: 2,
        created_at: '2026-03-01T08:15:00.000Z',
        updated_at: '2026-03-01T08:15:00.000Z',
        time_zone: 'Europe/Lisbon',
        day_starts_at_hour: 4,
        learn_ahead_minutes: 20,
        deck_defaults: DEFAULT_SETTINGS,
      },
    ],
  },
)

export const UpdateStudySettings = t.Object(
  {
    time_zone: t.Optional(nullable(Zone)),
    day_starts_at_hour: t.Optional(nullable(Hour)),
    learn_ahead_minutes: t.Optional(nullable(Ahead)),
    deck_defaults: t.Optional(nullable(PatchOverrides)),
  },
  {
    additionalProperties: false,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null restores the default.',
    examples: [{ time_zone: 'Europe/Lisbon', deck_defaults: { desired_retention: 0.92 } }],
  },
)

export type StudySettings = Static<typeof StudySettings>
export type UpdateStudySettings = Static<typeof UpdateStudySettings>

type Members = Pick<SettingsRow, 'time_zone' | 'day_starts_at_hour' | 'learn_ahead_minutes' | 'deck_defaults'>

type StudySettingsService = ReturnType<typeof createStudySettings>

/** Days are computed from the settings on each read, so only changed weights change cards. */
export function createStudySettings({ now, putSettings, memories }: StudyContext) {
  function save(session: Session, old: SettingsRow | null, members: Members): Promise<SettingsRow> {
    const at = now()
    const revision = (old ?? DEFAULT_STUDY_SETTINGS).revision + 1
    return putSettings(session, old, { ...members, revision, created_at: old?.created_at ?? at, updated_at: at })
  }

  return {
    get: async (session: Session): Promise<Tagged<StudySettings>> => shown(await getSettings(session)),

    /** Applies a merge patch, and replays memory if weights changed. Throws invalid_request, precondition_failed. */
    update(session: Session, patch: UpdateStudySettings, precondition: Precondition, defer: DeferReplay) {
      return session.db.transaction(async (db): Promise<Tagged<StudySettings>> => {
        const old = await getSettings({ ...session, db })
        requireRevision(precondition, shown(old).resource)
        const before = old ?? DEFAULT_STUDY_SETTINGS
        const members = patched(before, patch)
        if (hasMembers(before, members)) return shown(old)
        const tx = { ...session, db }
        const change = () => save(tx, old, members)
        // Only deck_defaults has weights, and comparing many decks takes time.
        const isKept = members.deck_defaults === before.deck_defaults
        return shown(await (isKept ? change() : memories.applyChange(tx, null, change, defer)))
      })
    },
  }
}

/** Returns the members after a merge patch; null restores the default. Throws invalid_request. */
function patched(old: Members, patch: UpdateStudySettings): Members {
  const { time_zone, deck_defaults } = patch
  const set = Object.entries(patch).map(([name, value]) => [
    name,
    value ?? DEFAULT_STUDY_SETTINGS[name as keyof Members],
  ])
  return {
    ...old,
    ...Object.fromEntries(set),
    ...(time_zone == null ? {} : { time_zone: readZone(time_zone, '/time_zone') }),
    deck_defaults:
      deck_defaults === undefined
        ? old.deck_defaults
        : withoutDefaults(patchOverrides(old.deck_defaults, deck_defaults, '/deck_defaults')),
  }
}

function shown(row: SettingsRow | null): Tagged<StudySettings> {
  const { revision, time_zone, day_starts_at_hour, learn_ahead_minutes } = row ?? DEFAULT_STUDY_SETTINGS
  return {
    resource: {
      id: SETTINGS_ID,
      revision,
      created_at: row && writeInstant(row.created_at),
      updated_at: row && writeInstant(row.updated_at),
      time_zone,
      day_starts_at_hour,
      learn_ahead_minutes,
      deck_defaults: readDefaults(row ?? DEFAULT_STUDY_SETTINGS),
    },
    etag: writeEtag(revision),
  }
}

nameSchemas({
  StudySettings,
  UpdateStudySettings,
  DeckOverrides,
  PatchDeckOverrides: PatchOverrides,
  EffectiveSettings,
})

export function studySettingsRoutes({
  settings,
  changeSchedule,
  api,
}: {
  settings: StudySettingsService
  changeSchedule: ChangeSchedule
  api: RequestPlugin
}) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .get('/settings', async ({ session, reply }) => reply.read(await settings.get(session)), {
      response: { 200: StudySettings, 304: NoContent },
      detail: {
        operationId: 'getStudySettings',
        summary: 'Get the study settings',
        description: 'When study days begin, and the settings that decks inherit by default.',
      },
    })
    .patch(
      '/settings',
      async ({ session, request, query, body, reply }) => {
        const change = async (tx: Session, defer: DeferReplay) =>
          changed(await settings.update(tx, body, ifMatch(request), defer))
        return reply.send(await changeSchedule(request, session, { deckId: null, query, body, change }))
      },
      {
        query: RescheduleQuery,
        body: UpdateStudySettings,
        response: {
          200: t.Union([StudySettings, ReschedulePreview], { examples: StudySettings.examples }),
          202: ImportReport,
          412: Problem,
        },
        detail: {
          operationId: 'updateStudySettings',
          summary: 'Change the study settings',
          description: `Due days stay as they are in another zone, and begin when it says. After a change of retention, weights or maximum interval they stay, too, unless \`reschedule\` moves them. ${IN_STEPS}`,
        },
      },
    )
}
