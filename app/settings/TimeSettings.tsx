import { useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { WorkspaceSettings } from '../api/types'
import { timeZone } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { notify } from '../shell/notice'

type Language = NonNullable<WorkspaceSettings['language']>
const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'German', fr: 'French', es: 'Spanish' }

/** Revision of settings that were never changed. */
const FIRST_REVISION = 1

/** The time zone and the language of the workspace, in which the server reads “tomorrow at 9”. */
export function TimeSettings() {
  const { api, copy, sync } = useWorkspace()
  const [stored] = [...copy.shown.workspace_settings.value.values()]
  /** What was chosen here and is not saved. */
  const [draft, setDraft] = useState<Partial<Pick<WorkspaceSettings, 'time_zone' | 'language'>>>({})
  const [fault, setFault] = useState('')
  const zone = draft.time_zone === undefined ? (stored?.time_zone ?? null) : draft.time_zone
  const language = draft.language === undefined ? (stored?.language ?? null) : draft.language

  async function save(event: Event) {
    event.preventDefault()
    setFault('')
    try {
      const resource = await api.call<WorkspaceSettings>({
        method: 'PATCH',
        path: 'api/workspace/settings',
        body: { time_zone: zone, language },
        headers: { 'If-Match': `"${stored?.revision ?? FIRST_REVISION}"` },
      })
      await copy.confirm([{ type: 'workspace_settings', id: resource.id, resource }])
      setDraft({})
      notify('The time zone and the language are saved.')
    } catch (error) {
      setFault(inWords(error))
      // It may have been changed elsewhere: then that is shown, and saved over by another press.
      await sync.pull()
    }
  }

  return (
    <section aria-labelledby="time">
      <div class="section-header">
        <h2 id="time">Time zone and language</h2>
      </div>
      <p class="quiet">
        In these the server reads words of time, such as “tomorrow at 9”, and knows when a day begins.
      </p>
      <form class="fields" onSubmit={save}>
        <label class="labelled">
          <span>Time zone</span>
          <select
            value={zone ?? ''}
            onChange={(event) => setDraft({ ...draft, time_zone: event.currentTarget.value || null })}
          >
            <option value="">None chosen: UTC</option>
            {zonesWith(zone).map((name) => (
              <option key={name} value={name}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label class="labelled">
          <span>Language</span>
          <select
            value={language ?? ''}
            onChange={(event) =>
              setDraft({ ...draft, language: (event.currentTarget.value || null) as Language | null })
            }
          >
            <option value="">None chosen: English</option>
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <div class="row">
          <button type="submit">Save</button>
          {zone !== timeZone && (
            <button type="button" class="link" onClick={() => setDraft({ ...draft, time_zone: timeZone })}>
              Use {timeZone}, as this browser
            </button>
          )}
        </div>
      </form>
      <p class="fault" role="alert">
        {fault}
      </p>
    </section>
  )
}

/** The zones that the browser knows, with its own, UTC and the one that is chosen, which it may call otherwise. */
function zonesWith(chosen: string | null): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), timeZone, 'UTC', ...(chosen ? [chosen] : [])])].sort()
}
