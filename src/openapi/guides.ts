/** The guides: Markdown files that the server shows below /docs/guides. */

import backup from '../../docs/guides/backup-and-upgrade.md' with { type: 'text' }
import proxy from '../../docs/guides/behind-a-proxy.md' with { type: 'text' }
import calendars from '../../docs/guides/calendars.md' with { type: 'text' }
import movingIn from '../../docs/guides/moving-in.md' with { type: 'text' }
import models from '../../docs/guides/ollama-and-openai-clients.md' with { type: 'text' }
import tenMinutes from '../../docs/guides/ten-minutes.md' with { type: 'text' }
import client from '../../docs/guides/typescript-client.md' with { type: 'text' }

export interface Guide {
  /** The last part of its address. */
  readonly name: string
  readonly title: string
  /** Without the heading that is the title. */
  readonly markdown: string
  /** Whether its commands are for the machine of the server: the page must not put the address that its reader uses. */
  readonly keepsAddress?: boolean
}

/** Every guide, in the order in which to read them. */
export const GUIDES: readonly Guide[] = [
  readGuide('ten-minutes', tenMinutes),
  readGuide('moving-in', movingIn),
  readGuide('calendars', calendars),
  readGuide('ollama-and-openai-clients', models),
  readGuide('typescript-client', client),
  readGuide('backup-and-upgrade', backup),
  readGuide('behind-a-proxy', proxy, true),
]

function readGuide(name: string, text: string, keepsAddress = false): Guide {
  const [heading = '', ...rest] = text.split('\n')
  return { name, title: heading.replace('# ', ''), markdown: rest.join('\n'), keepsAddress }
}
