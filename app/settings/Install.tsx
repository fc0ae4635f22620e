import { Button } from '../shell/controls'
import { install } from '../shell/install'
import { say } from '../words/say'
import { Section } from './Section'

/** The way to install the app, while the browser offers it. */
export function Install() {
  const run = install.value
  if (!run) return null
  return (
    <Section title={say`Install Satchel`}>
      <p class="quiet">{say`As an app of this device, in a window of its own.`}</p>
      <Button run={run}>{say`Install`}</Button>
    </Section>
  )
}
