import { makeKey } from '../../public/key-format.js'
import { settingsOf } from '../../public/settings.js'
import { createApi } from '../api/client'
import { timeZone } from '../data/clock'
import { newId } from '../data/ids'
import { keys } from '../data/workspace'
import { say } from '../words/say'
import { keepStored } from './install'
import { notify } from './notice'
import { addressOf, go } from './route'

/**
 * Makes a key, with the time zone and the language of the browser, and opens its workspace.
 * @param isFirst whether what is in the scratch space is brought along, and the person reminded to keep a copy
 * @throws Refused, Unreachable
 */
export async function takeKey(name: string, isFirst = false): Promise<void> {
  const key = makeKey()
  const api = createApi(key)
  await api.call({ method: 'PATCH', path: 'api/workspace/settings', body: settingsOf(timeZone, navigator.languages) })
  const headers = { 'Idempotency-Key': newId() }
  if (isFirst) await api.call({ method: 'POST', path: 'api/workspace/adopt', headers })
  keys.add({ key, name, made_at: new Date().toISOString(), saved: false })
  void keepStored()
  if (isFirst)
    notify(say`You have a key now. Keep a copy of it: nobody can recover it.`, {
      label: say`To the key`,
      run: () => go(addressOf('settings')),
    })
}
