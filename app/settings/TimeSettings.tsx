import { useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { WorkspaceSettings } from '../api/types'
import { timeZone } from '../data/clock'
import { useWorkspace } from '../data/use-workspace'
import { Act, Fault } from '../shell/controls'
import { notify } from '../shell/notice'
import { keepLanguage, say } from '../words/say'
import { Section } from './Section'

type Language = NonNullable<WorkspaceSettings['language']>
const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' }

/** Revision of settings that were never changed. */
const FIRST_REVISION = 1

/** The language of the app and of the workspace, in which the server reads “tomorrow at 9”, and the time zone. */
export function TimeSettings() {
  const { api, copy, sync } = useWorkspace()
  const [stored] = [...copy.shown.workspace_settings.value.values()]
  /** What was chosen here and is not saved. */
  const [draft, setDraft] = useState<Partial<Pick<WorkspaceSettings, 'time_zone' | 'language' | 'line_breaks'>>>({})
  const [fault, setFault] = useState('')
  const zone = draft.time_zone === undefined ? (stored?.time_zone ?? null) : draft.time_zone
  const line_breaks = draft.line_breaks ?? stored?.line_breaks ?? true
  const language = draft.language === undefined ? (stored?.language ?? null) : draft.language

  async function save(event: Event) {
    event.preventDefault()
    setFault('')
    try {
      const resource = await api.call<WorkspaceSettings>({
        method: 'PATCH',
        path: 'api/workspace/settings',
        body: { time_zone: zone, language, line_breaks },
        headers: { 'If-Match': `"${stored?.revision ?? FIRST_REVISION}"` },
      })
      await copy.confirm([{ type: 'workspace_settings', id: resource.id, resource }])
      setDraft({})
      notify(say`The time zone and the language are saved.`)
      // Its sentences are loaded with the page.
      if (keepLanguage(resource.language)) location.reload()
    } catch (error) {
      setFault(inWords(error))
      // It may have been changed elsewhere: then that is shown, and saved over by another press.
      await sync.pull()
    }
  }

  return (
    <Section title={say`Time zone and language`}>
      <p class="quiet">
        {say`The app speaks the language you choose, and the server reads words of time in it, such as “tomorrow at 9”. The time zone says when a day begins. Without a choice the app speaks the language of the browser, and the server reads English.`}
      </p>
      <form class="settings-form" onSubmit={save}>
        <Choice
          label={say`Time zone`}
          none={say`None chosen: UTC`}
          value={zone}
          options={zonesWith(zone).map((name) => [name, name.replaceAll('_', ' ')])}
          onChoose={(time_zone) => setDraft({ ...draft, time_zone })}
        />
        <Choice
          label={say`Language`}
          none={say`None chosen`}
          value={language}
          options={Object.entries(LANGUAGES)}
          onChoose={(chosen) => setDraft({ ...draft, language: chosen as Language | null })}
        />
        <label>
          <input
            type="checkbox"
            checked={line_breaks}
            onChange={(event) => setDraft({ ...draft, line_breaks: event.currentTarget.checked })}
          />{' '}
          {say`Show line ends within paragraphs of notes`}
        </label>
        <div class="row">
          <button type="submit">{say`Save`}</button>
          {zone !== timeZone && (
            <Act run={() => setDraft({ ...draft, time_zone: timeZone })}>{say`Use ${timeZone}, as this browser`}</Act>
          )}
        </div>
      </form>
      <Fault of={fault} />
    </Section>
  )
}

interface ChoiceProps {
  readonly label: string
  /** What it says when nothing is chosen. */
  readonly none: string
  readonly value: string | null
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChoose: (value: string | null) => void
}

function Choice({ label, none, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="labelled">
      <span>{label}</span>
      <select value={value ?? ''} onChange={(event) => onChoose(event.currentTarget.value || null)}>
        <option value="">{none}</option>
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The zones that the browser knows, with its own, UTC and the chosen one, which it may call by another name. */
function zonesWith(chosen: string | null): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), timeZone, 'UTC', ...(chosen ? [chosen] : [])])].sort()
}
