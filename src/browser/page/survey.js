// What a page says and has, hidden things included. It is found out anew when the page changed.

// What is asked again and again in a look.
const memos = new Map();

const once = (name, find) => {
  if (!memos.has(name)) memos.set(name, find());
  return memos.get(name);
};

// The document, and every shadow root in it that is open, or was opened.
const rootsBelow = (root, out = [root]) => {
  for (const element of root.querySelectorAll("*")) {
    const shadow = shadowOf(element);
    if (shadow) {
      out.push(shadow);
      rootsBelow(shadow, out);
    }
  }
  return out;
};

// A browser extension puts its own things into every page.
const foreign = (element) => element.closest("[src^='moz-extension:'], [src^='chrome-extension:'], [href^='chrome-extension:']") !== null ||
  element.querySelector(":scope > [src^='moz-extension:'], :scope > [src^='chrome-extension:']") !== null;

const inPage = (selector) =>
  once(`css ${selector}`, () => page.roots.flatMap((root) => [...root.querySelectorAll(selector)]).filter((each) => !foreign(each)));

const shownInPage = (selector) => once(`shown ${selector}`, () => inPage(selector).filter((each) => displayed(each)));

// Traditional characters that the rules' words have, and the simplified ones in which they are written.
const TRADITIONAL = "驗證碼帳賬號鎖凍結異風險環請錯誤機圖點擊動塊掃維護協議條隱權過頻嘗試後認實臉識別螢攝頭對準錄陸網絡擁擠訪問絕開關應發簡訊電話輸資閉戶無將為進續繼連線設備檢測處務統級時間變確並與從組書個會員離選擇讓瀏覽轉當啟嗎這裡還餘數據態滿達單項須術鏡張貼鍵陣慮誰獲鐘標靜暫銀賣貨幣歷長鏈嚴緊極觸壓產編輯區國際語彈層顯現繫繳";
const SIMPLIFIED = "验证码账账号锁冻结异风险环请错误机图点击动块扫维护协议条隐权过频尝试后认实脸识别萤摄头对准录陆网络拥挤访问绝开关应发简讯电话输资闭户无将为进续继连线设备检测处务统级时间变确并与从组书个会员离选择让浏览转当启吗这里还余数据态满达单项须术镜张贴键阵虑谁获钟标静暂银卖货币历长链严紧极触压产编辑区国际语弹层显现系缴";
const simplified = new Map([...TRADITIONAL].map((each, at) => [each, SIMPLIFIED[at]]));
const traditional = new RegExp(`[${TRADITIONAL}帐]`, "g");

// A text in the form in which the rules are written: lower case, plain signs, simplified characters.
const told = (text) => normal(normal(text.normalize("NFKC")).replace(/[’‘`]/g, "'").replace(traditional, (each) => simplified.get(each) ?? "账")
  .replace(/登陆/g, "登录").toLowerCase());

// The page as it is surveyed: its roots, its markup and its words. Without words it is too long for that.
const page = { token: null, html: "", words: "", roots: [document], custom: false };

// Longer pages are not cut into words; their elements are looked at one by one.
const MOST_WORDS = 400_000;

const wordsOfPage = () => {
  const pressed = inPage("input").filter((input) => pressable.has(input.type)).map((input) => input.value);
  const texts = page.roots.map((root) => (root === document ? document.documentElement : root).textContent);
  const words = [...texts, ...pressed, document.title].join(" ");
  return words.length > MOST_WORDS ? null : told(words);
};

const hasMark = (mark) => once(`mark ${mark}`, () => page.html.includes(mark));

const statusOfPage = (view = window) => view.performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0;

// Begins a look. What is asked of elements is asked anew, for a page may look different without having changed.
const survey = () => {
  // A shadow root may come, and change, without the document telling.
  const token = `${watchNow()} ${location.href} ${document.readyState}`;
  if (page.token === token && page.roots.length === 1 && !page.custom) {
    for (const name of [...memos.keys()]) if (!name.startsWith("mark ")) memos.delete(name);
    return;
  }
  memos.clear();
  page.roots = rootsBelow(document);
  const markup = page.roots.map((root) => (root === document ? document.documentElement : root).innerHTML);
  page.html = markup.join("\n").toLowerCase();
  page.words = wordsOfPage();
  page.custom = /<[a-z]+-[a-z]/.test(page.html);
  page.token = token;
};
