/** The list that was open last: where a note leads back to. */
import { addressOf, route } from '../shell/route'

let address = addressOf('notes')

/** Remembers the open list. */
export function rememberList(): void {
  if (route.peek().parts.length === 0) address = location.hash || addressOf('notes')
}

export const lastList = () => address
