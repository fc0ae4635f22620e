import { timeZone } from '../data/clock'
import type { Workspace } from '../data/workspace'
import type { ReadingSettings } from './read-task'

/** How words of time are read here: where the device is, in the language of the workspace. */
export function readingSettings({ copy }: Workspace): ReadingSettings {
  const [settings] = copy.shown.workspace_settings.value.values()
  return { now: Date.now(), timeZone, language: settings?.language ?? 'en' }
}
