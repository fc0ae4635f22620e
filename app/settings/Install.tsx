import { install } from '../shell/install'
import { say } from '../words/say'

/** The way to install the app, while the browser offers it. */
export function Install() {
  const run = install.value
  if (!run) return null
  return (
    <section aria-labelledby="install">
      <div class="section-header">
        <h2 id="install">{say`Install Satchel`}</h2>
      </div>
      <p class="quiet">{say`As an app of this device, in a window of its own.`}</p>
      <button type="button" onClick={run}>
        {say`Install`}
      </button>
    </section>
  )
}
