/** What is said to somebody without a key, and the way to one. */
import { useState } from 'preact/hooks'
import { makeKey } from '../../public/key-format.js'
import { settingsOf } from '../../public/settings.js'
import { createApi, inWords } from '../api/client'
import { timeZone } from '../data/clock'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { keys } from '../data/workspace'
import { notify } from './notice'

/** Asks to make a key. With one, what was written before is brought along. */
export function ScratchNotice() {
  const workspace = useWorkspace()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  if (workspace.key !== null) return null

  async function begin() {
    if (isBusy) return
    setBusy(true)
    try {
      await workspace.outbox.flush()
      await takeKey()
    } catch (error) {
      setFault(inWords(error))
      setBusy(false)
    }
  }

  return (
    <aside class="notice scratch" aria-label="Without a key">
      <p>
        You are trying Satchel on the scratch space of your network address: others there see it, too, it has 20
        requests an hour, and it is erased a day after its last use. A key gives you a private place that lasts.
      </p>
      <div class="row">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={begin}>
          Make a key, and bring this along
        </button>
        <a href="../">I have a key</a>
      </div>
      <p class="fault" role="alert">
        {fault}
      </p>
    </aside>
  )
}

/** Makes a key, brings along what is in the scratch space, and chooses the key. Throws Refused, Unreachable. */
async function takeKey(): Promise<void> {
  const key = makeKey()
  const api = createApi(key)
  const headers = () => ({ 'Idempotency-Key': newId() })
  await api.call({ method: 'PATCH', path: 'api/workspace/settings', body: settingsOf(timeZone, navigator.languages) })
  await api.call({ method: 'POST', path: 'api/workspace/adopt', headers: headers() })
  keys.add({ key, name: 'Notes and tasks', made_at: new Date().toISOString(), saved: false })
  notify('You have a key now. Keep a copy of it: nobody can recover it.', {
    label: 'To the key',
    run: () => location.assign('../'),
  })
}
