/** Makes the first key of somebody who has begun without one. */
import { makeKey } from '../../public/key-format.js'
import { settingsOf } from '../../public/settings.js'
import { createApi } from '../api/client'
import { timeZone } from '../data/clock'
import { newId } from '../data/ids'
import { keys } from '../data/workspace'
import { keepStored } from './install'
import { notify } from './notice'
import { addressOf, go } from './route'

/** Makes a key, brings along what is in the scratch space, and chooses the key. Throws Refused, Unreachable. */
export async function takeKey(): Promise<void> {
  const key = makeKey()
  const api = createApi(key)
  const headers = () => ({ 'Idempotency-Key': newId() })
  await api.call({ method: 'PATCH', path: 'api/workspace/settings', body: settingsOf(timeZone, navigator.languages) })
  await api.call({ method: 'POST', path: 'api/workspace/adopt', headers: headers() })
  keys.add({ key, name: 'Notes and tasks', made_at: new Date().toISOString(), saved: false })
  void keepStored()
  notify('You have a key now. Keep a copy of it: nobody can recover it.', {
    label: 'To the key',
    run: () => go(addressOf('settings')),
  })
}
